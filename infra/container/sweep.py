"""One sweep, for a CronJob."""

from __future__ import annotations

from common.jobs.sweep import sweep
from common.services import services


def main() -> None:
    sweep(services())


if __name__ == "__main__":
    main()
