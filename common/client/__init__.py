"""The Python client and the `secretary` command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from common.client.asynchronous import AsyncSecretary
    from common.client.secretary import Secretary

__all__ = ["AsyncSecretary", "Secretary"]


def __getattr__(name: str) -> Any:
    """On first use: `secretary convert` needs no HTTP client."""
    if name == "Secretary":
        from common.client.secretary import Secretary

        return Secretary
    if name == "AsyncSecretary":
        from common.client.asynchronous import AsyncSecretary

        return AsyncSecretary
    raise AttributeError(name)
