"""Words fall into the columns of a table."""

from __future__ import annotations

import pytest

from common.processing.pdf.grids import Row, column_of, fill_rows, merge_rows, render_cells
from tests.unit.processing.pdf.made import words


def test_words_are_sorted_into_columns_and_rows() -> None:
    found = words("left cell", x=50) + words("right", x=200) + words("next", x=50, base=115)
    assert render_cells(fill_rows(found, [150]), 2) == [["left cell", "right"], ["next", ""]]


def test_text_across_a_cut_stands_in_its_first_column() -> None:
    assert column_of(50, 250, [150]) == (0, True)
    assert column_of(160, 250, [150]) == (1, False)


def test_a_cut_parts_words_with_more_than_a_blank_between_them() -> None:
    near, apart = fill_rows(words("New items", x=50), [66])[0], fill_rows(words("12  34", x=50), [64])[0]
    assert (near.text(0), near.text(1)) == ("New items", "") and near.spans == {0}
    assert (apart.text(0), apart.text(1)) == ("12", "34")


def test_lines_of_one_row_become_one_cell_and_broken_words_whole() -> None:
    rows = fill_rows(words("bro-", x=50) + words("ken", x=50, base=112), [150])
    assert render_cells([merge_rows(rows)], 1) == [["broken"]]


@pytest.mark.parametrize("text", ["12", "1,234.50", "-3", "(7)", "45%", "$ 12", "–", "n/a", "..."])
def test_numbers(text: str) -> None:
    assert Row(0, 10, {0: words(text)}).is_numeric(0)


@pytest.mark.parametrize("text", ["abc", "12 apples", "Q1"])
def test_no_numbers(text: str) -> None:
    assert not Row(0, 10, {0: words(text)}).is_numeric(0)


def test_a_link_in_a_cell_is_kept() -> None:
    (word,) = words("here", x=50)
    word.link = "https://example.org"
    assert render_cells(fill_rows([word], [150]), 2) == [["[here](https://example.org)", ""]]
