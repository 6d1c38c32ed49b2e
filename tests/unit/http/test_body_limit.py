"""A body that is too large is refused before it costs anything."""

from __future__ import annotations

import io
import tracemalloc

import flask
import pytest

from common.errors import PayloadTooLarge
from common.http.router import _body

LIMIT = 10 * 1024 * 1024


def test_a_body_that_announces_too_much_takes_no_memory() -> None:
    sent = io.BytesIO(b"the first bytes")
    request = flask.Request({"CONTENT_LENGTH": str(LIMIT + 1), "wsgi.input": sent})
    tracemalloc.start()
    try:
        with pytest.raises(PayloadTooLarge):
            _body(request, LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < LIMIT / 10
    assert sent.tell() == 0, "nothing of it is read"


@pytest.mark.parametrize(("size", "is_taken"), [(8, True), (9, False)])
def test_a_body_is_measured_when_its_length_is_not_announced(size: int, is_taken: bool) -> None:
    environ = {"wsgi.input": io.BytesIO(b"x" * size), "wsgi.input_terminated": True}
    request = flask.Request(environ)
    if is_taken:
        assert _body(request, 8) == b"x" * size
    else:
        with pytest.raises(PayloadTooLarge):
            _body(request, 8)
