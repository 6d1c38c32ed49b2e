"""Headings are told from text, and get their levels."""

from __future__ import annotations

import pytest

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.headings import (
    Styles,
    body_face,
    body_style,
    heading_levels,
    is_heading,
    level_key,
    level_of,
    numbering_depth,
    style_key,
    text_styles,
)
from common.processing.pdf.spans import Font
from tests.unit.processing.pdf.made import BOLD, MONO, REGULAR, line, paragraph

STYLES = Styles(body_size=10)


def test_the_body_has_the_style_of_most_letters() -> None:
    lines = [line("Title", size=20, font=BOLD), line("a long line of body text"), line("another one")]
    assert body_style(lines) == (10, False)
    assert body_style([]) == (10.0, False)


def test_larger_text_is_a_heading() -> None:
    assert is_heading(paragraph("Results", size=14), styles=STYLES)
    assert not is_heading(paragraph("Results"), styles=STYLES)


def test_bold_text_of_body_size_is_a_heading() -> None:
    assert is_heading(paragraph("Results", font=BOLD), styles=STYLES)
    assert not is_heading(paragraph("Results", font=BOLD), styles=Styles(body_size=10, body_bold=True))
    assert not is_heading(paragraph("Results", font=BOLD, size=8), styles=STYLES)


@pytest.mark.parametrize(
    "text",
    [
        "It ends like a sentence.",
        "• An item",
        "Contents . . . . . . 7",
        "Table 3: Results",
        "Abb. 2 Ergebnis",
        "12 – 34",
        "x" * 300,
    ],
)
def test_large_text_that_is_no_heading(text: str) -> None:
    assert not is_heading(paragraph(text, size=14), styles=STYLES)


def test_code_is_no_heading() -> None:
    assert not is_heading(paragraph("main", size=14, font=MONO), styles=STYLES)


def test_larger_styles_have_higher_levels() -> None:
    blocks = [paragraph("A", size=20), paragraph("B", size=14), paragraph("C", size=14, font=BOLD)]
    for block in blocks:
        block.kind = Kind.HEADING
    levels = heading_levels(blocks)
    assert [levels[level_key(block)] for block in blocks] == [1, 3, 2]


def levels_of(*texts: str) -> list[int]:
    blocks = [paragraph(text, size=14) for text in texts]
    for block in blocks:
        block.kind = Kind.HEADING
    levels = heading_levels(blocks)
    return [levels[level_key(block)] for block in blocks]


def test_numbers_tell_levels_inside_one_style() -> None:
    assert levels_of("1 Aims", "1.1 Scope", "1.1.1 Limits", "2 Results") == [1, 2, 3, 1]


def test_a_heading_without_a_number_is_below_sections_of_its_style_but_beside_chapters() -> None:
    assert levels_of("3.1.1 Methods", "Advantages") == [1, 2]
    assert levels_of("Abstract", "1 Introduction", "References") == [1, 1, 1]


def test_the_depth_of_a_number() -> None:
    assert [numbering_depth(text) for text in ("3 A", "3.1 A", "3.1.2. A", "Chapter 4 A", "A", "2019")] == [
        1,
        2,
        3,
        1,
        0,
        0,
    ]


def test_a_style_that_the_sample_lacks_takes_the_level_of_the_next_smaller_one() -> None:
    levels = {(20.0, False, 0): 1, (14.0, False, 0): 2}
    assert [level_of((size, False, 0), levels) for size in (24.0, 16.0, 12.0)] == [1, 2, 2]
    assert level_of((14.0, False, 3), levels) == 2
    assert level_of((12.0, False, 0), {}) == 1


def test_the_key_of_a_style_is_its_size_and_weight() -> None:
    mixed = Block([line("A", font=BOLD), line("B", font=REGULAR, base=112)])
    assert (style_key(paragraph("A", font=BOLD, size=11.9)), style_key(mixed)) == (
        (12.0, True),
        (10.0, False),
    )


def test_a_style_that_is_used_for_text_as_much_is_no_heading_style() -> None:
    title, item = paragraph("Title", size=14), paragraph("• a long item of a list", size=14)
    title.kind = Kind.HEADING
    assert text_styles([title, item]) == {(14.0, False)}
    assert text_styles([title, paragraph("x", size=14)]) == frozenset()
    assert not is_heading(title, styles=Styles(body_size=10, plain=frozenset({(14.0, False)})))


def test_another_typeface_needs_less_size_to_be_a_heading() -> None:
    styles = Styles(body_size=10, body_face="Body")
    assert is_heading(paragraph("Results", size=10.8, font=Font("Display")), styles=styles)
    assert not is_heading(paragraph("Results", size=10.8), styles=styles)


def test_the_typeface_of_the_body_is_that_of_most_words_in_its_size() -> None:
    lines = [
        line("a b c d", size=20, font=Font("Display")),
        line("two words"),
        line("one", font=Font("Other")),
    ]
    assert body_face(lines, 10) == "Body"


def test_a_typed_document_may_have_headings_of_fixed_pitch() -> None:
    assert is_heading(paragraph("main", size=14, font=MONO), styles=Styles(body_size=10, typed=True))


def test_a_row_of_cells_is_no_heading_but_a_number_may_stand_apart() -> None:
    assert not is_heading(paragraph("Year      Count      Share", font=BOLD), styles=STYLES)
    assert is_heading(paragraph("2.1      Results", font=BOLD), styles=STYLES)
    assert is_heading(paragraph("§ 4      Fees", font=BOLD), styles=STYLES)


def test_rows_of_cells_do_not_make_a_style_one_of_text() -> None:
    heading = paragraph("Results", font=BOLD)
    heading.kind = Kind.HEADING
    assert text_styles([heading, paragraph("a longer line in bold", font=BOLD)]) == {(10, True)}
    assert not text_styles([heading, paragraph("Year      Count      Share", font=BOLD)])
