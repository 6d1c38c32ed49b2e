"""Bytes of a web page to a tree: the encoding found out, hostile shapes refused before they cost time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from common.errors import UnsupportedFile

READ_BYTES = 4 * 1024**2  # text of a talk's page is some kilobytes; the rest is scripts and pictures
MAX_NESTING = 5_000  # building the tree takes time with the square of its depth
CHARSET_BYTES = 4_096

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
# The encodings browsers know; others (punycode, unicode_escape …) are no encodings of pages.
_KNOWN_ENCODING = re.compile(
    r"utf-?8|utf-16(le|be)?|us-ascii|ascii|latin-?1|iso-?8859-\d{1,2}|windows-125\d|cp125\d|koi8-[ru]|macintosh"
    r"|gbk|gb2312|gb18030|big5|shift_jis|euc-(jp|kr)|iso-2022-jp",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]{0,30})")
# Elements that need no end tag: a sloppy page leaves thousands of them open without nesting any.
_VOID = "area base br col embed hr img input link meta param source track wbr"
_OPTIONAL_END = "p li dt dd tr td th thead tbody tfoot option optgroup colgroup"
_CLOSED_BY_THE_NEXT = frozenset(f"{_VOID} {_OPTIONAL_END}".split())
_FOREIGN_MAGIC = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP or Office file",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"{": "JSON",
}


def parse_html(data: bytes) -> LexborHTMLParser:
    text = decode_html(data)
    depth = _nesting(text)
    if depth > MAX_NESTING:
        raise UnsupportedFile(f"The page nests {depth} elements; at most {MAX_NESTING} are read")
    return LexborHTMLParser(text)


def decode_html(data: bytes) -> str:
    """The page's text, by its byte order mark, its own statement, UTF-8 or what old pages meant."""
    head = data[:READ_BYTES]
    found = _foreign(head)
    if found:
        raise UnsupportedFile(f"Expected a web page (HTML), found {found}")
    for encoding in _candidates(head):
        try:
            return _clean(head.decode(encoding))
        except UnicodeDecodeError as error:
            if error.start > len(head) - 8 and len(data) > READ_BYTES:  # cut inside a character
                return _clean(head[: error.start].decode(encoding))
    return _clean(head.decode("cp1252", errors="replace"))


def text_of(node: LexborNode | None) -> str:
    """The visible text of an element on one line."""
    return " ".join(node.text(deep=True, separator=" ").split()) if node is not None else ""


def attribute(node: LexborNode, name: str) -> str:
    return (node.attributes.get(name) or "").strip()


def remove_all(root: LexborNode, unwanted: Iterable[LexborNode]) -> None:
    """Remove elements and all below them; one inside another goes with it and is not touched again."""
    marked = {node.mem_id for node in unwanted}
    outermost: list[LexborNode] = []
    waiting = list(root.iter())
    while waiting:
        node = waiting.pop()
        if node.mem_id in marked:
            outermost.append(node)
        else:
            waiting.extend(node.iter())
    for node in outermost:
        node.decompose()


def _foreign(head: bytes) -> str | None:
    start = head.lstrip()
    if not start:
        return "an empty answer"
    for magic, name in _FOREIGN_MAGIC.items():
        if start.startswith(magic):
            return name
    if b"\0" in head[:CHARSET_BYTES] and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "binary data"
    return None


def _candidates(head: bytes) -> list[str]:
    for bom, encoding in _BOMS.items():
        if head.startswith(bom):
            return [encoding]
    stated = _CHARSET.search(head[:CHARSET_BYTES])
    name = stated.group(1).decode("ascii") if stated else ""
    if not _KNOWN_ENCODING.fullmatch(name) or name.lower().startswith("utf-16"):
        return ["utf-8"]
    # Pages that say latin-1 mean the Windows variant, as every browser reads them.
    western = name.lower().replace("-", "") in ("latin1", "iso88591", "usascii", "ascii")
    return ["utf-8", "cp1252"] if western else [name, "utf-8"]


def _clean(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _nesting(text: str) -> int:
    """An upper bound of the depth: end tags without a start do not make up for starts without an end."""
    open_tags: Counter[str] = Counter()
    depth = deepest = 0
    for end, name in _TAG.findall(text):
        tag = name.lower()
        if tag in _CLOSED_BY_THE_NEXT:
            continue
        if not end:
            open_tags[tag] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif open_tags[tag]:
            open_tags[tag] -= 1
            depth -= 1
    return deepest
