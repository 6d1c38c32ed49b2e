"""The embedded MongoDB: a replica set of one, from a wheel, on machines that may lack its libraries."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import sys
import time
from pathlib import Path

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

from infra.local.errors import missing
from infra.local.ports import HOST

REPLICA_SET = "secretary"
START_SECONDS = 60.0
NOT_INITIALISED = 94
LIBRARIES = ("libcurl.so.4", "libssl.so.3", "libcrypto.so.3")
JOURNAL_MILLISECONDS = 5  # how late a queue message may wake a worker


def binary() -> Path | None:
    """From the wheel, else from the system."""
    spec = importlib.util.find_spec("fiftyone")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        found = Path(folder) / "db" / "bin" / ("mongod.exe" if sys.platform == "win32" else "mongod")
        if found.exists():
            return found
    system = shutil.which("mongod")
    return Path(system) if system else None


def command(folder: Path, port: int) -> list[str]:
    found = binary()
    if found is None:
        raise missing("mongod", variable="MONGODB_URI")
    folder.mkdir(parents=True, exist_ok=True)
    return [
        str(found), "--dbpath", str(folder), "--replSet", REPLICA_SET, "--bind_ip", HOST, "--port", str(port),
        "--journalCommitInterval", str(JOURNAL_MILLISECONDS), "--wiredTigerCacheSizeGB", "0.5", "--quiet",
        "--setParameter", "diagnosticDataCollectionEnabled=false",
    ]  # fmt: skip


def library_path(folder: Path) -> str | None:
    """A folder of links to the libraries inside the pycurl wheel; only where the system lacks them."""
    if all(_system_has(name) for name in LIBRARIES):
        return None
    spec = importlib.util.find_spec("pycurl")
    if spec is None or spec.origin is None:
        return None
    bundled = Path(spec.origin).parent / "pycurl.libs"
    folder.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:
        stem, _, version = name.partition(".so.")
        found = sorted(bundled.glob(f"{stem}-*.so.{version}*"))
        link = folder / name
        if found:
            link.unlink(missing_ok=True)
            link.symlink_to(found[0])
    return f"{folder}:{bundled}"


def _system_has(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def uri(port: int) -> str:
    return f"mongodb://{HOST}:{port}/?directConnection=true"


def make_primary(port: int) -> None:
    """Start the replica set, or follow it to a new port; returns when it takes writes."""
    member = {"_id": 0, "host": f"{HOST}:{port}"}
    deadline = time.monotonic() + START_SECONDS
    with MongoClient[dict[str, object]](uri(port), serverSelectionTimeoutMS=500) as client:
        while True:
            try:
                if client.admin.command("hello").get("isWritablePrimary"):
                    return
                _configure(client, member)
            except PyMongoError:
                if time.monotonic() > deadline:
                    raise
            if time.monotonic() > deadline:
                raise TimeoutError("MongoDB did not become primary; see mongod.log")
            time.sleep(0.1)


def _configure(client: MongoClient[dict[str, object]], member: dict[str, object]) -> None:
    try:
        config = client.admin.command("replSetGetConfig")["config"]
    except OperationFailure as error:
        if error.code != NOT_INITIALISED:
            raise
        client.admin.command("replSetInitiate", {"_id": REPLICA_SET, "members": [member]})
        return
    if config["members"][0]["host"] != member["host"]:
        moved = config | {"members": [config["members"][0] | member], "version": config["version"] + 1}
        client.admin.command("replSetReconfig", moved, force=True)
