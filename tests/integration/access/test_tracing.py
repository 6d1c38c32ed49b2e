"""One trace from the request through the queue to the processor, and nothing at all without a collector."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from common import tracing
from common.settings import Tracing
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.outbound.loopback import Loopback

SAMPLES = Path(__file__).parents[3] / "samples"
PATIENCE_SECONDS = 60.0
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def spans(collector: Loopback) -> dict[str, Any]:
    """By name, of the trace that the test began."""
    found: dict[str, Any] = {}
    for seen in list(collector.seen):
        body = gzip.decompress(seen.body) if seen.headers.get("content-encoding") == "gzip" else seen.body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                found |= {span.name: span for span in scope.spans if span.trace_id.hex() == TRACE}
    return found


def test_a_job_is_one_trace_from_its_request_to_its_processor(tmp_path: Path) -> None:
    with Loopback(routes={"/v1/traces": lambda exchange: exchange.reply(200)}) as collector:
        endpoint = {"SECRETARY_TRACING__ENDPOINT": collector.url("/v1/traces")}
        stack = StackServer(tmp_path / "home", environment=endpoint)
        stack.start()
        try:
            with site(SAMPLES) as address, stack.client() as api:
                api.post(
                    "/api/jobs",
                    json={"job_type": "pdf", "parameters": {"url": f"{address}/slides.pdf"}},
                    headers={"traceparent": f"00-{TRACE}-{SPAN}-01"},
                ).raise_for_status()
                deadline = time.monotonic() + PATIENCE_SECONDS
                while len(found := spans(collector)) < 3 and time.monotonic() < deadline:
                    time.sleep(0.1)
        finally:
            stack.stop()

    request, run, process = (found[name] for name in ("POST /api/jobs", "run pdf", "process pdf"))
    assert request.parent_span_id.hex() == SPAN
    assert run.parent_span_id == request.span_id
    assert process.parent_span_id == run.span_id


def test_without_an_endpoint_nothing_is_loaded_and_nothing_is_told() -> None:
    tracer = tracing.tracer_for(Tracing())
    with tracer.span("x", parent=f"00-{TRACE}-{SPAN}-01"):
        assert tracing.current() is None

    code = "import sys, common.services; print(any(name.startswith('opentelemetry') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
