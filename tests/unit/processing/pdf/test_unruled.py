"""Tables without any line, and what only looks like one."""

from __future__ import annotations

from common.processing.pdf.lines import Line, split_lines
from common.processing.pdf.unruled import unruled_regions
from tests.unit.processing.pdf.made import words


def pieces(*texts: str, step: float = 14) -> list[Line]:
    return [piece for i, text in enumerate(texts) for piece in split_lines(words(text, base=100 + step * i))]


def found(*texts: str, step: float = 14) -> list[list[str]]:
    return [[piece.text for piece in region] for region in unruled_regions(pieces(*texts, step=step))]


def test_rows_whose_gaps_agree_are_a_table() -> None:
    assert found("Name     Age", "Ada      36", "Grace    85") == [
        ["Name", "Age", "Ada", "36", "Grace", "85"]
    ]


def test_two_rows_are_too_few() -> None:
    assert found("Name     Age", "Ada      36") == []


def test_rows_far_apart_are_no_table() -> None:
    assert found("Name     Age", "Ada      36", "Grace    85", step=60) == []


def test_gaps_at_other_places_are_no_table() -> None:
    assert found("a     bbbbbbbbbbbbbbb", "aaaaaaaaaa     bbb", "aaaaaaaaaaaaaaaaaaaaaaaa     b") == []


def test_a_list_whose_markers_stand_apart_is_no_table() -> None:
    assert found("•     one", "•     two", "•     three") == []


def test_prose_in_two_columns_is_no_table() -> None:
    left = "words that fill a whole line of the left column of a page here"
    assert found(*[f"{left}     {left}"] * 4) == []


def test_text_around_a_table_is_not_part_of_it() -> None:
    assert found("Some text before it", "Ada      36", "Grace    85", "Alan     41", "and after it") == [
        ["Ada", "36", "Grace", "85", "Alan", "41"]
    ]


def test_a_piece_that_is_read_too_late_comes_home() -> None:
    made = pieces("Name     Age", "Ada      36", "Grace    85")
    late = split_lines(words("Town", x=200, base=100))
    table = unruled_regions([*made[:4], *late, *made[4:]])
    assert [[piece.text for piece in region] for region in table] == [
        ["Name", "Age", "Town", "Ada", "36", "Grace", "85"]
    ]


def test_a_mark_that_is_read_too_late_does_not_cut_a_table() -> None:
    title, rows = pieces("Capacity"), pieces("Name     Age", "Ada      36", "Grace    85")
    for piece in rows:
        piece.base += 14
    colon = split_lines(words(":", x=title[0].x1, base=100))
    assert len(unruled_regions([*title, *rows[:2], *colon, *rows[2:]])[0]) == 6
