"""What was drawn too late comes where it is read."""

from __future__ import annotations

from common.processing.pdf.blocks import Block
from common.processing.pdf.order import in_reading_order
from tests.unit.processing.pdf.made import paragraph


def order(*blocks: Block) -> list[str]:
    return [block.text for block in in_reading_order(blocks)]


def test_a_title_that_is_drawn_last_comes_first() -> None:
    body = [paragraph("first part of the text", base=200), paragraph("second part of the text", base=260)]
    title = [paragraph("The title", base=60), paragraph("The author", base=90)]
    assert order(*body, *title) == [
        "The title",
        "The author",
        "first part of the text",
        "second part of the text",
    ]


def test_a_second_column_stays_second() -> None:
    left = paragraph("left column", x=50, base=200)
    right = paragraph("right column", x=320, base=100)
    assert order(left, right) == ["left column", "right column"]


def test_a_block_above_some_of_the_others_keeps_its_place() -> None:
    blocks = [paragraph("one", base=100), paragraph("three", base=300), paragraph("two", base=200)]
    assert order(*blocks) == ["one", "three", "two"]


def test_nothing_stays_nothing() -> None:
    assert order() == []
