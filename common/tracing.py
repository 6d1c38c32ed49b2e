"""Traces from a request through the queue to the processor, for an operator who has a collector.

Without an endpoint nothing is loaded and a span is an empty block.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from common.settings import SettingsError, Tracing

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer as SdkTracer

FLUSH_MILLISECONDS = 2_000
EXPORT_MILLISECONDS = 1_000

_current: ContextVar[str | None] = ContextVar("traceparent", default=None)


class Tracer(Protocol):
    def span(
        self, name: str, *, parent: str | None = None, **attributes: str | int
    ) -> AbstractContextManager[None]:
        """`parent` is a W3C traceparent; without one the span that is open here is the parent."""
        ...

    def flush(self) -> None: ...


def current() -> str | None:
    """The traceparent to hand on, None where nothing is traced."""
    return _current.get()


@lru_cache(maxsize=1)
def tracer_for(options: Tracing) -> Tracer:
    return _Off() if options.endpoint is None else _On(options.endpoint, options.service_name)


class _Off:
    def span(
        self, name: str, *, parent: str | None = None, **attributes: str | int
    ) -> AbstractContextManager[None]:
        return nullcontext()

    def flush(self) -> None:
        return


class _On:
    def __init__(self, endpoint: str, service_name: str) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise SettingsError("tracing.endpoint: needs pip install 'secretary[tracing]'") from None
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": service_name}), shutdown_on_exit=False
        )
        exporter = OTLPSpanExporter(endpoint=endpoint, timeout=FLUSH_MILLISECONDS // 1000)
        self._provider.add_span_processor(
            BatchSpanProcessor(exporter, schedule_delay_millis=EXPORT_MILLISECONDS)
        )
        atexit.register(self._provider.shutdown)
        self._tracer: SdkTracer = self._provider.get_tracer("secretary")

    @contextmanager
    def span(self, name: str, *, parent: str | None = None, **attributes: str | int) -> Iterator[None]:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier = parent or _current.get()
        form = TraceContextTextMapPropagator()
        context = form.extract({"traceparent": carrier} if carrier else {})
        with self._tracer.start_as_current_span(
            name, context=context, attributes=attributes, record_exception=False
        ):
            told: dict[str, str] = {}
            form.inject(told)
            token = _current.set(told.get("traceparent"))
            try:
                yield
            finally:
                _current.reset(token)

    def flush(self) -> None:
        self._provider.force_flush(FLUSH_MILLISECONDS)
