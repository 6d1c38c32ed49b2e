"""Makes an installation smaller and says what is in it: part of the image's build.

botocore carries a description of every AWS service; two of them are used here.
"""

from __future__ import annotations

import json
import shutil
import sys
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

USED_SERVICES = {"s3", "sqs", "sts", "sso", "sso-oidc", "signin"}  # the last four find credentials
NOT_NEEDED = ("pip", "setuptools", "wheel")


def trim_botocore() -> None:
    found = find_spec("botocore")
    if found is None or found.origin is None:
        return
    for folder in (Path(found.origin).parent / "data").iterdir():
        if folder.is_dir() and folder.name not in USED_SERVICES:
            shutil.rmtree(folder)


def component(found: Distribution) -> dict[str, Any]:
    name = found.metadata["Name"]
    told = [found.metadata[key] for key in ("License-Expression", "License") if key in found.metadata]
    licence = next(iter(told), "unknown")
    return {
        "type": "library",
        "name": name,
        "version": found.version,
        "purl": f"pkg:pypi/{name.lower().replace('_', '-')}@{found.version}",
        "licenses": [{"license": {"name": licence.splitlines()[0][:100]}}],
    }


def sbom() -> dict[str, Any]:
    """CycloneDX: every installed package with its version and licence."""
    found = [component(item) for item in distributions() if item.metadata["Name"] not in NOT_NEEDED]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": sorted(found, key=lambda item: str(item["purl"])),
    }


def main() -> None:
    trim_botocore()
    Path(sys.prefix, "sbom.json").write_text(json.dumps(sbom(), indent=1), "utf-8")


if __name__ == "__main__":
    main()
