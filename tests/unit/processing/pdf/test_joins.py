"""What a page break cut becomes whole again."""

from __future__ import annotations

from common.processing.pdf.joins import join_pages


def test_a_sentence_goes_on_over_the_page_break() -> None:
    assert join_pages(["It goes", "on here.\n\nNext."]) == "It goes on here.\n\nNext.\n"


def test_a_word_broken_by_the_page_break_is_whole() -> None:
    assert join_pages(["a bro-", "ken word"]) == "a broken word\n"


def test_a_finished_sentence_ends_its_paragraph() -> None:
    assert join_pages(["It ends.", "it starts"]) == "It ends.\n\nit starts\n"


def test_a_heading_is_never_continued() -> None:
    assert join_pages(["# Title", "text goes on"]) == "# Title\n\ntext goes on\n"
    assert join_pages(["text", "- item"]) == "text\n\n- item\n"


def test_a_table_goes_on_and_its_repeated_head_is_dropped() -> None:
    upper, lower = "| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 3 | 4 |"
    assert join_pages([upper, lower]) == "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"


def test_a_table_without_a_repeated_head_keeps_all_rows() -> None:
    upper, lower = "| a | b |\n|---|---|\n| 1 | 2 |", "| 3 | 4 |\n|---|---|\n| 5 | 6 |"
    assert join_pages([upper, lower]) == "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n"


def test_tables_of_other_widths_stay_two() -> None:
    upper, lower = "| a | b |\n|---|---|\n| 1 | 2 |", "| a |\n|---|\n| 3 |"
    assert join_pages([upper, lower]) == f"{upper}\n\n{lower}\n"


def test_a_blank_line_inside_a_fence_parts_nothing() -> None:
    code = "```\none\n\ntwo\n```"
    assert join_pages([code, "after"]) == f"{code}\n\nafter\n"


def test_nothing_gives_nothing() -> None:
    assert join_pages(["", ""]) == ""
