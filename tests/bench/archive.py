"""How much memory a large archive takes, packed from the object store into it, as a job does it.

`python -m tests.bench.archive 50 400 2048` starts a store of its own; a row for each size in megabytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.archive.manifest import Origin
from common.archive.vault import vault
from common.jobs.vault_entries import vault_entries
from common.objects.store import ObjectStore
from common.processing.base import StoredFile
from common.settings import load_settings
from tests.servers.seaweed import SeaweedServer

PICTURE_BYTES = 4 * 1024**2
PICTURE = "pictures/one"
SIZES = (50, 400, 2048)


def measured(megabytes: int, environment: dict[str, str]) -> dict[str, float]:
    """In a process of its own: the peak is that of a whole process, and never falls."""
    command = [sys.executable, "-m", "tests.bench.archive", "--pack", str(megabytes)]
    done = subprocess.run(command, env=dict(os.environ) | environment, check=True, capture_output=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def pack(megabytes: int) -> dict[str, float]:
    """One picture under many names: what counts is how many bytes go through."""
    objects = ObjectStore(load_settings(os.environ).objects)
    data = os.urandom(PICTURE_BYTES)
    digest = hashlib.sha256(data).hexdigest()
    stored = objects.put(PICTURE, data, "image/png")
    del data
    files = [
        StoredFile(path=f"sessions/E/assets/{number:04}/slide_01.png", key=stored.key, size=PICTURE_BYTES,
                   sha256=digest, media_type="image/png")
        for number in range(-(-megabytes * 1024**2 // PICTURE_BYTES))
    ]  # fmt: skip
    before, began = peak_megabytes(), time.monotonic()
    content = vault(vault_entries(files, objects), readme="# Large\n", origin=Origin(options={}))
    archive = objects.put_stream("archives/large.zip", content, "application/zip")
    return {
        "megabytes": round(archive.size / 1024**2),
        "seconds": round(time.monotonic() - began, 1),
        "peak_before": before,
        "peak": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """Of this program alone: `getrusage` would count what the process was before it became this program."""
    status = Path("/proc/self/status").read_text()
    return round(int(status.partition("VmHWM:")[2].split()[0]) / 1024, 1)


def main() -> None:
    if sys.argv[1:2] == ["--pack"]:
        print(json.dumps(pack(int(sys.argv[2]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        server = SeaweedServer(Path(folder))
        server.start()
        try:
            print("archive MB   seconds   peak MB before   peak MB")
            for size in map(int, sys.argv[1:] or SIZES):
                row = measured(size, server.environment)
                print("{megabytes:10.0f} {seconds:9.1f} {peak_before:16.1f} {peak:9.1f}".format(**row))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
