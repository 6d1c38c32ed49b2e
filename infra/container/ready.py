"""Exit code 0 when MongoDB, objects and queue answer; the probe of workers, which serve no port."""

from __future__ import annotations

import sys

from common.readiness import readiness
from common.services import services


def main() -> None:
    missing = [name for name, answers in readiness(services()).items() if not answers]
    sys.exit(f"No answer from: {', '.join(missing)}." if missing else 0)


if __name__ == "__main__":
    main()
