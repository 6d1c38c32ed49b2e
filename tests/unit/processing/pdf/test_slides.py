"""The title of a slide is its first heading near the top."""

from __future__ import annotations

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.slides import are_slides, level_slide, slide_title, usual_level
from common.processing.pdf.spans import PageSpans
from tests.unit.processing.pdf.made import paragraph


def heading(text: str, base: float, level: int) -> Block:
    block = paragraph(text, base=base)
    block.kind, block.level = Kind.HEADING, level
    return block


def levels(*blocks: Block, usual: int = 3) -> list[int]:
    level_slide(blocks, height=600, usual=usual)
    return [block.level for block in blocks]


def test_most_pages_of_slides_are_wider_than_high() -> None:
    slide, page = PageSpans(1, 800, 600), PageSpans(2, 600, 800)
    assert are_slides([slide, slide, page])
    assert not are_slides([slide, page, page]) and not are_slides([])


def test_a_wide_page_full_of_text_is_no_slide() -> None:
    assert not are_slides([PageSpans(1, 800, 600, text="x" * 5_000)])


def test_the_title_is_level_one_and_other_headings_are_below() -> None:
    assert levels(heading("Title", 80, 3), paragraph("text", base=150), heading("Part", 300, 4)) == [1, 0, 2]


def test_a_larger_title_is_level_one_too_and_a_smaller_heading_is_not() -> None:
    assert levels(heading("The talk", 80, 1)) == [1]
    assert levels(heading("Some rules:", 80, 4)) == [2]


def test_a_heading_in_the_middle_of_a_slide_is_no_title() -> None:
    middle = heading("Thank you", 400, 3)
    assert slide_title([middle], height=600) is None
    assert levels(middle) == [2]


def test_the_usual_level_is_that_of_most_titles() -> None:
    one, two = heading("a", 80, 1), heading("b", 80, 2)
    assert (usual_level([one, two, one]), usual_level([one, two]), usual_level([])) == (1, 2, 0)
