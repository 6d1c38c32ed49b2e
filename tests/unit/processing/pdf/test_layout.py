"""The steps of a page together."""

from __future__ import annotations

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.headings import Styles
from common.processing.pdf.layout import PageLayout, document_styles, nest_items, page_blocks
from tests.unit.processing.pdf.made import BOLD, MONO, line, page, paragraph


def test_blocks_are_classified_in_order() -> None:
    spans = page(
        line("A title", base=60, size=20),
        line("Text under it.", base=100),
        line("• item", base=130),
        line("x = 1", base=160, font=MONO),
        line("y = 2", base=172, font=MONO),
    )
    blocks = page_blocks(PageLayout(spans), neighbours=[], styles=Styles(body_size=10))
    assert [block.kind for block in blocks] == [Kind.HEADING, Kind.PARAGRAPH, Kind.ITEM, Kind.CODE]


def test_a_table_stands_where_its_first_word_stands() -> None:
    rows = [
        line(text, base=100 + 14 * i) for i, text in enumerate(("Name     Age", "Ada      36", "Alan     41"))
    ]
    spans = page(line("before", base=60), *rows, line("after", base=200))
    blocks = page_blocks(PageLayout(spans), neighbours=[], styles=Styles(body_size=10))
    assert [block.text or block.cells for block in blocks] == [
        "before",
        [["Name", "Age"], ["Ada", "36"], ["Alan", "41"]],
        "after",
    ]


def test_running_heads_are_dropped_by_the_neighbours() -> None:
    spans = page(line("Head", base=30), line("text", base=300))
    layout = PageLayout(spans)
    blocks = page_blocks(layout, neighbours=[layout.prints], styles=Styles(body_size=10))
    assert [block.text for block in blocks] == ["text"]


def test_items_nest_by_their_indent() -> None:
    lefts = (50, 70, 70, 50)
    items = [Block([line("• x", x=left)], Kind.ITEM) for left in lefts]
    nest_items(items)
    assert [item.level for item in items] == [0, 1, 1, 0]
    apart = [items[1], paragraph("text"), items[1]]
    nest_items(apart)
    assert items[1].level == 0


def test_the_styles_of_a_document_come_from_its_pages() -> None:
    first = page(line("Chapter", base=60, size=20), line("text of the first page here", base=300))
    second = page(line("Section", base=60, font=BOLD), line("text of the second page here", base=300))
    styles = document_styles([PageLayout(first), PageLayout(second)])
    assert styles.body_size == 10
    assert styles.levels == {(20.0, False, 0): 1, (10.0, True, 0): 2}


def test_the_size_of_the_text_is_not_that_of_a_large_table() -> None:
    rows = [
        line(f"Station{i}        {i}2345678        {i}2345678", base=200 + 12 * i, size=8) for i in range(9)
    ]
    text = [line("A sentence above the table.", base=100 + 14 * i, size=12) for i in range(4)]
    assert document_styles([PageLayout(page(*text, *rows))]).body_size == 12
