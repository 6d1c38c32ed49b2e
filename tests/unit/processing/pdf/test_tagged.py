"""Tagged files say themselves what is a heading, an item or a cell."""

from __future__ import annotations

from pathlib import Path

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.document import open_document
from common.processing.pdf.lines import Line
from common.processing.pdf.spans import PageSpans
from common.processing.pdf.structure import Cell, Tag
from common.processing.pdf.tagged import names_headings, tagged_tables, trusted_tags, with_tags
from tests.unit.processing.pdf.made import line, paragraph, words
from tests.unit.processing.pdf.writer import Page, write_pdf

TAGS = {1: Tag(heading=1, level=2), 2: Tag(item=5), 3: Tag(item=6), 9: Tag()}


def marked(text: str, mark: int, base: float = 100) -> Line:
    made = line(text, base=base)
    for word in made.words:
        word.mark = mark
    return made


def kinds(blocks: list[Block], *, headings: bool = True) -> list[tuple[str, Kind]]:
    return [(block.text, block.kind) for block in with_tags(blocks, TAGS, headings=headings)]


def test_a_tagged_line_is_cut_out_as_the_heading() -> None:
    block = Block([marked("Title", 1), marked("text", 9, 112)])
    (heading, rest) = with_tags([block], TAGS, headings=True)
    assert (heading.text, heading.kind, heading.level) == ("Title", Kind.HEADING, 2)
    assert (rest.text, rest.kind) == ("text", Kind.PARAGRAPH)


def test_a_tagged_heading_in_two_blocks_is_one() -> None:
    assert kinds([Block([marked("A long", 1)]), Block([marked("title", 1, 130)])]) == [
        ("A long title", Kind.HEADING)
    ]


def test_what_only_looks_like_a_heading_is_text() -> None:
    large = Block([marked("Large", 9)], Kind.HEADING)
    assert kinds([large]) == [("Large", Kind.PARAGRAPH)]
    assert kinds([large], headings=False) == [("Large", Kind.HEADING)]


def test_every_tagged_item_is_an_item() -> None:
    block = Block([marked("one", 2), marked("goes on", 2, 112), marked("two", 3, 124)])
    assert kinds([block]) == [("one goes on", Kind.ITEM), ("two", Kind.ITEM)]


def test_a_tree_that_leaves_out_much_of_the_text_is_not_trusted() -> None:
    page = PageSpans(
        1, 600, 800, words=[*marked("known", 9).words, *marked("unknown text", 77).words], tags=TAGS
    )
    assert trusted_tags(page) == {}
    assert trusted_tags(PageSpans(1, 600, 800, words=marked("known", 9).words, tags=TAGS)) == TAGS


def test_headings_everywhere_mean_that_the_tree_is_wrong() -> None:
    title, text = marked("Title", 1).words, marked("much more text than that", 9, 112).words
    assert names_headings([PageSpans(1, 600, 800, words=[*title, *text], tags=TAGS)])
    assert not names_headings([PageSpans(1, 600, 800, words=title, tags=TAGS)])
    assert not names_headings([PageSpans(1, 600, 800, words=text, tags=TAGS)])


def test_a_tagged_table_keeps_its_rows_and_leaves_empty_cells_empty() -> None:
    places = {
        1: (1, 50, "name"),
        2: (1, 150, "age"),
        3: (1, 250, "town"),
        4: (2, 50, "Ada"),
        5: (2, 250, "Rome"),
    }
    found, tags = [], {}
    for mark, (row, x, text) in places.items():
        (word,) = words(text, x=x, base=100 + 14 * row)
        word.mark = mark
        found.append(word)
        tags[mark] = Tag(cell=Cell(1, row, mark))
    (table,) = tagged_tables(found, tags)
    assert table.cells == [["name", "age", "town"], ["Ada", "", "Rome"]]


def test_one_row_is_no_table() -> None:
    (word,) = words("alone")
    word.mark = 1
    assert tagged_tables([word], {1: Tag(cell=Cell(1, 1, 1))}) == []


def test_the_tree_of_a_file_is_read(tmp_path: Path) -> None:
    page = (
        Page()
        .text(50, 100, "Looks like text", tag="H2")
        .text(50, 140, "Looks like a title", size=20, tag="P")
    )
    page.text(50, 200, "More text, so that the tree is not all headings, and more still.", tag="P")
    with open_document(write_pdf(tmp_path / "a.pdf", page), max_pages=1) as document:
        assert document.info.tagged
        assert next(document.pages()).markdown.split("\n\n")[:2] == [
            "## Looks like text",
            "Looks like a title",
        ]


def test_paragraphs_without_tags_are_untouched() -> None:
    assert kinds([paragraph("text")]) == [("text", Kind.PARAGRAPH)]
