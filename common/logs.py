"""Structured log lines: one JSON object each, with the ids of the request or job they belong to."""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar
from typing import Any

from common.clock import utc_now
from common.settings import Logging

request_id: ContextVar[str] = ContextVar("request_id", default="")


class _Lines(logging.Formatter):
    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": utc_now().isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if request_id.get():
            line["request_id"] = request_id.get()
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        if self.as_json:
            return json.dumps(line, ensure_ascii=False, default=str)
        extra = " ".join(f"{key}={value}" for key, value in line.items() if key not in ("time", "level", "event"))
        return f"{line['time']} {line['level']:7} {line['event']} {extra}".rstrip().replace("\n", "\\n ")


def configure(options: Logging) -> None:
    """Send our lines to standard error; other libraries only from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(as_json=options.format == "json"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("secretary").setLevel(options.level)


_logger = logging.getLogger("secretary")


def info(event: str, **fields: Any) -> None:
    _logger.info(event, extra={"fields": fields})


def warning(event: str, **fields: Any) -> None:
    _logger.warning(event, extra={"fields": fields})


def exception(event: str, **fields: Any) -> None:
    """For a fault nobody foresaw: the trace goes to the log, never into an answer."""
    _logger.exception(event, extra={"fields": fields})
