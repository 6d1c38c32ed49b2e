"""One engine over all documents, in a process of its own: `python -m tests.quality.measure NAME PDFS OUT`.

Writes the Markdown of every document and `run.json` with the processor time of the fastest round.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pypdfium2

from tests.quality.engines import ENGINES

ROUNDS = 3
ENOUGH_SECONDS = 10.0  # an engine that has worked this long is not asked again


def measure(name: str, pdfs: Path, out: Path) -> None:
    convert = ENGINES[name].load()
    files = sorted(pdfs.glob("*.pdf"))
    best = spent = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        made = {path.stem: convert(path) for path in files}
        seconds = time.process_time() - start
        best = min(best or seconds, seconds)
        spent += seconds
        if spent > ENOUGH_SECONDS:
            break
    for stem, markdown in made.items():
        (out / f"{stem}.md").write_text(markdown, encoding="utf-8")
    pages = sum(_page_count(path) for path in files)
    (out / "run.json").write_text(json.dumps({"pages": pages, "seconds": best}))


def _page_count(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    try:
        return len(document)
    finally:
        document.close()


def measure_apart(name: str, pdfs: Path, out: Path) -> float:
    """Pages per second of processor time; in a fresh process, so that no engine warms or breaks another."""
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.quality.measure", name, str(pdfs), str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    run = json.loads((out / "run.json").read_text())
    return float(run["pages"] / run["seconds"])


if __name__ == "__main__":
    measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
