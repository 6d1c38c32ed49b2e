"""Reading a body of unknown intent: counted packed and unpacked, and never inflated beyond the limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from common.errors import DownloadFailed, DownloadTooLarge

ACCEPT_ENCODING = "gzip, deflate"
_PIECE_BYTES = 256 * 1024  # the most that one step of inflating may produce
_GZIP_WBITS = zlib.MAX_WBITS | 16
_WBITS = {"gzip": _GZIP_WBITS, "x-gzip": _GZIP_WBITS, "deflate": zlib.MAX_WBITS}
_GZIP_MAGIC = b"\x1f\x8b"


def check_length(header: str | None, *, max_bytes: int) -> None:
    """A body that says it is too large is refused before any of it is read."""
    if header is not None and header.strip().isdecimal() and int(header) > max_bytes:
        raise DownloadTooLarge(
            f"expected at most {max_bytes} bytes, the source announces {int(header)}",
            details={"max_bytes": max_bytes},
        )


def bounded(pieces: Iterable[bytes], *, encoding: str, max_bytes: int) -> Iterator[bytes]:
    """The body in its plain form; DownloadTooLarge as soon as either form passes the limit."""
    encoding = encoding.strip().lower()
    packed = _counted(pieces, max_bytes, "packed")
    if encoding in ("", "identity"):
        return packed
    return _counted(_inflated(packed, encoding), max_bytes, "unpacked")


def _counted(pieces: Iterable[bytes], max_bytes: int, form: str) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > max_bytes:
            raise DownloadTooLarge(
                f"expected at most {max_bytes} bytes, the source ({form}) has more",
                details={"max_bytes": max_bytes},
            )
        yield piece


def _inflated(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    if encoding not in _WBITS:
        raise DownloadFailed(
            f"expected a body packed as {ACCEPT_ENCODING} or not at all, found {encoding[:40]!r}",
            details={"reason": "encoding"},
        )
    inflate = _Inflate(encoding)
    try:
        for piece in pieces:
            yield from inflate.feed(piece)
    except zlib.error:
        raise DownloadFailed(
            f"expected a body packed as {encoding}, found damaged data", details={"reason": "encoding"}
        ) from None
    if not inflate.complete:
        raise DownloadFailed(
            f"expected a whole body packed as {encoding}, it ends early", details={"reason": "encoding"}
        )


class _Inflate:
    """zlib with bounded steps; reads several gzip members in a row and `deflate` with or without a header."""

    def __init__(self, encoding: str) -> None:
        self._wbits = _WBITS[encoding]
        self._zlib = zlib.decompressobj(self._wbits)
        self._untouched = True

    @property
    def complete(self) -> bool:
        return self._untouched or self._zlib.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._zlib.eof:
                if self._wbits != _GZIP_WBITS or not data.startswith(_GZIP_MAGIC):
                    return  # padding after the end is ignored, as browsers do
                self._zlib = zlib.decompressobj(self._wbits)
            plain = self._step(data)
            data = self._zlib.unused_data if self._zlib.eof else self._zlib.unconsumed_tail
            if plain:
                yield plain

    def _step(self, data: bytes) -> bytes:
        first, self._untouched = self._untouched, False
        try:
            return self._zlib.decompress(data, _PIECE_BYTES)
        except zlib.error:
            if not first or self._wbits != zlib.MAX_WBITS:
                raise
        self._zlib = zlib.decompressobj(-zlib.MAX_WBITS)
        return self._zlib.decompress(data, _PIECE_BYTES)
