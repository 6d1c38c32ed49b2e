"""What an `office` job takes."""

from __future__ import annotations

from common.processing.pages.parameters import DocumentParameters


class OfficeParameters(DocumentParameters):
    """One document; `include_images` also takes out its pictures, and a picture of every slide."""

    include_images: bool = False
