"""Writes small PDFs for tests: text, lines, areas, links, bookmarks and tags at exact places."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, radians, sin
from pathlib import Path

FONTS = {
    "regular": "Helvetica",
    "bold": "Helvetica-Bold",
    "italic": "Helvetica-Oblique",
    "mono": "Courier",
    "serif": "Times-Roman",
}


@dataclass
class Page:
    """One page; y is counted from its top."""

    width: float = 600
    height: float = 800
    rotate: int = 0
    content: list[str] = field(default_factory=list)
    links: list[tuple[tuple[float, float, float, float], str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)  # the structure type of every marked content, by its id

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 10,
        font: str = "regular",
        angle: float = 0,
        tag: str = "",
    ) -> Page:
        a, b = cos(radians(angle)), sin(radians(angle))
        shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        matrix = f"{a:.6f} {b:.6f} {-b:.6f} {a:.6f} {x} {self.height - y} Tm"
        drawn = f"BT /{font} {size} Tf {matrix} ({shown}) Tj ET"
        if tag:
            drawn = f"/{tag.split()[0]} <</MCID {len(self.tags)}>> BDC {drawn} EMC"
            self.tags.append(tag)
        self.content.append(drawn)
        return self

    def lines(self, x: float, y: float, *texts: str, size: float = 10, font: str = "regular") -> Page:
        """Several lines of one paragraph."""
        for index, text in enumerate(texts):
            self.text(x, y + 1.2 * size * index, text, size=size, font=font)
        return self

    def line(self, x0: float, y0: float, x1: float, y1: float) -> Page:
        self.content.append(f"0.5 w {x0} {self.height - y0} m {x1} {self.height - y1} l S")
        return self

    def area(self, x0: float, y0: float, x1: float, y1: float, *, gray: float = 0.5) -> Page:
        self.content.append(f"{gray} g {x0} {self.height - y1} {x1 - x0} {y1 - y0} re f 0 g")
        return self

    def grid(self, xs: list[float], ys: list[float]) -> Page:
        for y in ys:
            self.line(xs[0], y, xs[-1], y)
        for x in xs:
            self.line(x, ys[0], x, ys[-1])
        return self

    def link(self, x0: float, y0: float, x1: float, y1: float, url: str) -> Page:
        self.links.append(((x0, self.height - y1, x1, self.height - y0), url))
        return self


@dataclass
class Bookmark:
    title: str
    page: int  # from 0
    depth: int = 0
    y: float | None = None  # from the top


class Writer:
    """Numbered objects and the table that tells where they are."""

    def __init__(self) -> None:
        self.objects: list[bytes] = []

    def reserve(self) -> int:
        self.objects.append(b"null")
        return len(self.objects)

    def put(self, number: int, body: str) -> int:
        self.objects[number - 1] = body.encode("latin-1")
        return number

    def add(self, body: str) -> int:
        return self.put(self.reserve(), body)

    def bytes(self, root: int, info: int) -> bytes:
        out = bytearray(b"%PDF-1.7\n")
        places = []
        for number, body in enumerate(self.objects, start=1):
            places.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += f"trailer <</Size {len(places) + 1} /Root {root} 0 R /Info {info} 0 R>>\n".encode("latin-1")
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def pdf_bytes(
    *pages: Page, bookmarks: list[Bookmark] | None = None, title: str = "", language: str = ""
) -> bytes:
    writer = Writer()
    root, tree = writer.reserve(), writer.reserve()
    font = "<</Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding>>"
    fonts = " ".join(f"/{name} {writer.add(font.format(base))} 0 R" for name, base in FONTS.items())
    numbers = [writer.reserve() for _ in pages]
    for index, (number, page) in enumerate(zip(numbers, pages, strict=True)):
        stream = "\n".join(page.content)
        content = writer.add(f"<</Length {len(stream.encode('latin-1'))}>>\nstream\n{stream}\nendstream")
        links = " ".join(
            f"<</Type /Annot /Subtype /Link /Rect [{' '.join(map(str, box))}] /A <</S /URI /URI ({url})>>>>"
            for box, url in page.links
        )
        writer.put(
            number,
            f"<</Type /Page /Parent {tree} 0 R /MediaBox [0 0 {page.width} {page.height}] "
            f"/Rotate {page.rotate} /Contents {content} 0 R /StructParents {index} "
            f"/Resources <</Font <<{fonts}>>>> /Annots [{links}]>>",
        )
    kids = " ".join(f"{number} 0 R" for number in numbers)
    writer.put(tree, f"<</Type /Pages /Count {len(pages)} /Kids [{kids}]>>")
    extra = f"/Lang ({language})" if language else ""
    if bookmarks:
        extra += f" /Outlines {_outline(writer, bookmarks, numbers, pages)} 0 R"
    if any(page.tags for page in pages):
        extra += f" /MarkInfo <</Marked true>> /StructTreeRoot {_structure(writer, numbers, pages)} 0 R"
    writer.put(root, f"<</Type /Catalog /Pages {tree} 0 R {extra}>>")
    return writer.bytes(root, writer.add(f"<</Title ({title})>>"))


def _outline(writer: Writer, bookmarks: list[Bookmark], numbers: list[int], pages: tuple[Page, ...]) -> int:
    top = writer.reserve()
    items = [writer.reserve() for _ in bookmarks]
    children: dict[int, list[int]] = {top: []}
    parent_at: dict[int, int] = {-1: top}
    for item, mark in zip(items, bookmarks, strict=True):
        parent = parent_at[mark.depth - 1]
        children.setdefault(parent, []).append(item)
        parent_at[mark.depth] = item
        children.setdefault(item, [])
    for parent, kids in children.items():
        ends = f"/First {kids[0]} 0 R /Last {kids[-1]} 0 R /Count {len(kids)}" if kids else ""
        if parent == top:
            writer.put(top, f"<</Type /Outlines {ends}>>")
        for place, kid in enumerate(kids):
            mark = bookmarks[items.index(kid)]
            y = "null" if mark.y is None else pages[mark.page].height - mark.y
            after = f"/Next {kids[place + 1]} 0 R" if place + 1 < len(kids) else ""
            before = f"/Prev {kids[place - 1]} 0 R" if place else ""
            own = children[kid]
            below = f"/First {own[0]} 0 R /Last {own[-1]} 0 R /Count {len(own)}" if own else ""
            writer.put(
                kid,
                f"<</Title ({mark.title}) /Parent {parent} 0 R {after} {before} {below} "
                f"/Dest [{numbers[mark.page]} 0 R /XYZ 0 {y} 0]>>",
            )
    return top


def _structure(writer: Writer, numbers: list[int], pages: tuple[Page, ...]) -> int:
    """A flat tree: every marked content is one element below the document."""
    top, document = writer.reserve(), writer.reserve()
    elements: list[int] = []
    parents: list[str] = []
    for index, (number, page) in enumerate(zip(numbers, pages, strict=True)):
        own = [
            writer.add(f"<</Type /StructElem /S /{tag} /P {document} 0 R /Pg {number} 0 R /K {mark}>>")
            for mark, tag in enumerate(page.tags)
        ]
        elements += own
        parents.append(f"{index} [{' '.join(f'{element} 0 R' for element in own)}]")
    kids = " ".join(f"{element} 0 R" for element in elements)
    writer.put(document, f"<</Type /StructElem /S /Document /P {top} 0 R /K [{kids}]>>")
    writer.put(
        top, f"<</Type /StructTreeRoot /K {document} 0 R /ParentTree <</Nums [{' '.join(parents)}]>>>>"
    )
    return top


def write_pdf(path: Path, *pages: Page, bookmarks: list[Bookmark] | None = None) -> Path:
    path.write_bytes(pdf_bytes(*pages, bookmarks=bookmarks))
    return path
