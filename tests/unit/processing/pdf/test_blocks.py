"""Lines become paragraphs: by distance, size, weight, indent and the end of sentences."""

from __future__ import annotations

from common.processing.pdf.blocks import split_blocks
from common.processing.pdf.lines import Line
from common.processing.pdf.spans import Font
from tests.unit.processing.pdf.made import BOLD, MONO, line

LONG = "a line of text that runs to the right edge"


def blocks(*lines: Line) -> list[str]:
    return [block.text for block in split_blocks(lines)]


def test_lines_at_the_usual_distance_are_one_paragraph() -> None:
    assert blocks(line("one", base=100), line("two", base=112)) == ["one two"]


def test_a_wider_step_starts_the_next_paragraph() -> None:
    lines = [line("one", base=100), line("two", base=112), line("three", base=128)]
    assert blocks(*lines) == ["one two", "three"]


def test_another_size_starts_a_block() -> None:
    assert blocks(line("Title", size=14, base=100), line("text", base=114)) == ["Title", "text"]


def test_another_weight_starts_a_block() -> None:
    assert blocks(line("Head", font=BOLD, base=100), line("text", base=112)) == ["Head", "text"]


def test_code_and_text_are_apart() -> None:
    assert blocks(line("text", base=100), line("code", base=112, font=MONO)) == ["text", "code"]


def test_a_list_item_starts_a_block_and_keeps_its_second_line() -> None:
    lines = [line("• one", base=100), line("goes on", x=60, base=112), line("• two", base=124)]
    assert blocks(*lines) == ["• one goes on", "• two"]


def test_an_indented_first_line_starts_a_paragraph() -> None:
    lines = [line(LONG, base=100), line(LONG, base=112), line("new", x=65, base=124)]
    assert blocks(*lines) == [f"{LONG} {LONG}", "new"]


def test_a_sentence_that_ends_short_ends_the_paragraph() -> None:
    assert blocks(line(LONG, base=100), line("Short.", base=112), line(LONG, base=124)) == [
        f"{LONG} Short.",
        LONG,
    ]


def test_lines_beside_each_other_are_no_paragraph() -> None:
    assert blocks(line("left", x=50, base=100), line("right", x=400, base=112)) == ["left", "right"]


def test_entries_of_a_table_of_contents_are_apart() -> None:
    assert len(blocks(line("One . . . . . 1", base=100), line("Two . . . . . 2", base=112))) == 2


def test_code_goes_on_at_any_indent_and_after_a_colon() -> None:
    lines = [
        line("if x:", font=MONO),
        line("return", x=120, base=112, font=MONO),
        line("}", base=124, font=MONO),
    ]
    assert len(blocks(*lines)) == 1


def test_another_typeface_in_a_slightly_other_size_starts_a_block() -> None:
    title = line("Title", size=10.8, font=Font("Display"))
    assert blocks(title, line("text", base=112)) == ["Title", "text"]
    assert blocks(line("Title", size=10.8), line("text", base=112)) == ["Title text"]


def test_a_short_line_in_another_face_or_in_capitals_is_parted_from_the_text_below() -> None:
    italic = Font("Body-Italic", italic=True)
    below = line("a longer line of text in the face of the body", base=114)
    assert len(split_blocks([line("Aims", font=italic), below])) == 2
    assert len(split_blocks([line("AIMS"), below])) == 2
    assert len(split_blocks([line("Aims"), below])) == 1
