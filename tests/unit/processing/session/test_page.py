import csv
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import SecretaryError, UnsupportedFile
from common.processing.session.html import MAX_NESTING, decode_html
from common.processing.session.page import read_page
from common.processing.session.url import absolute_url
from tests.unit.shared_files import FIXTURES, needs_shared

URL = "https://conf.example.org/2025/talk/1/"
TALK = """<!doctype html><html lang="de-AT"><head><meta charset="utf-8">
<title>Ein Vortrag | Konferenz</title></head>
<body><header><nav><a href="/">Start</a></nav>Konferenz</header>
<div class="cookie-banner">Wir nutzen Cookies</div>
<main><h1>Ein Vortrag</h1><p>Vortragende: Ada Lovelace und Grace Hopper</p>
<p>Am 3. Mai 2025, 10:00–10:45 Uhr. Der <b>Inhalt</b> steht <a href="mehr.html#x">hier</a>.</p>
<p><a href="/files/deck (final).pptx">Deck</a> <a href="/rules.pdf">Hausordnung</a>
<a href="https://youtu.be/abc">Video</a> <a href="https://youtu.be/def">Etwas anderes</a>
<a href="javascript:alert(1)">x</a> <a href="mailto:a@b.c">Mail</a> <a href="http://[">kaputt</a></p></main>
<footer>Impressum</footer></body></html>"""


def test_text_title_people_and_time_are_found() -> None:
    page = read_page(TALK.encode(), URL)
    assert page.title == "Ein Vortrag"
    assert page.language == "de"
    assert page.speakers == ("Ada Lovelace", "Grace Hopper")
    assert (page.moment.day, page.moment.start, page.moment.end) == ("2025-05-03", "10:00", "10:45")
    assert page.moment.minutes == 45
    assert "Der **Inhalt** steht [hier](https://conf.example.org/2025/talk/1/mehr.html#x)." in page.markdown


def test_the_site_around_the_talk_is_left_out() -> None:
    markdown = read_page(TALK.encode(), URL).markdown
    assert not re.search("Cookies|Impressum|Start|javascript|mailto", markdown)


def test_only_links_of_the_talk_itself_are_slides_or_recordings() -> None:
    page = read_page(TALK.encode(), URL)
    assert [link.url for link in page.slides] == ["https://conf.example.org/files/deck%20(final).pptx"]
    assert [link.url for link in page.videos] == ["https://youtu.be/abc"]


def test_a_base_element_moves_relative_links() -> None:
    html = b"<base href='/deep/'><main><p>Some words of text.</p><a href='a.pdf'>Slides</a></main>"
    assert read_page(html, URL).slides[0].url == "https://conf.example.org/deep/a.pdf"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("Größe".encode(), "Größe"),
        (b'<meta charset="iso-8859-1">Gr\xf6\xdfe \x96', "Größe –"),
        (b'<meta charset="utf-8">Gr\xf6\xdfe', "Größe"),
        ("\ufeffGröße".encode("utf-16"), "Größe"),
        (b'<meta charset="unicode_escape">\\x41', "\\x41"),
        (b'<meta charset="koi8-r">\xc1', "а"),
    ],
)
def test_the_encoding_is_found_even_where_the_page_is_wrong(data: bytes, expected: str) -> None:
    assert decode_html(data).endswith(expected)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty answer"),
        (b"   \n", "an empty answer"),
        (b"%PDF-1.7 ...", "a PDF"),
        (b"PK\x03\x04...", "a ZIP or Office file"),
        (b'{"a": 1}', "JSON"),
        (b"abc\0\0def", "binary data"),
        (b"<html><body><script>x</script></body></html>", "one without any"),
    ],
)
def test_what_is_no_page_is_named(data: bytes, found: str) -> None:
    with pytest.raises(UnsupportedFile, match=f"Expected a web page.*{found}"):
        read_page(data, URL)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 200_000 + "x",
        "<div></span>" * 100_000 + "x",
        "<a><b><i>" * 100_000 + "x",
        "<p>" * 400_000 + "x",
        "<table><tr><td>" * 3_000 + "text",
        "<main>" * 4_000 + "words " * 100,
        "<main>text</main>" * 50_000,
        "<header><nav>x</nav></header>text" * 50_000,
        "<a href='x.pdf'>Slides</a>" * 50_000,
        "<span>Speaker:" * 4_000,
        "<script type='application/ld+json'>" + "[" * 200_000 + "</script>text",
        "word " * 1_500_000,
        "&nbsp;" * 500_000 + "x",
        "<" * 1_000_000,
        "<!--" * 500_000 + "x",
    ],
    ids=lambda html: html[:20],
)
def test_hostile_pages_end_quickly_in_a_page_or_a_named_error(html: str) -> None:
    started = time.process_time()
    try:
        read_page(html.encode(), URL)
    except UnsupportedFile as error:
        assert str(MAX_NESTING) in error.message or "Expected" in error.message
    assert time.process_time() - started < 20


PIECES = """<div>|</div>|<p class='speaker-name'>|<main>|</main>|<a href='|//[|x.pdf'>Slides</a>|<table>|<td>
|<dt>Speaker</dt>|<dd>|<time datetime='|2025-13-45T|'>|31.02.2025|25:99|<iframe src=|</script>|<base href='http://[x'>
|<script type='application/ld+json'>|{"@type":"Event","name":["x"],"performer":{"name":1}}|<html lang='
|&#xD800;|<!--|<meta property='og:title' content='x'>|<![CDATA[|\0"""
_pieces = st.sampled_from(PIECES.split("|"))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.lists(st.one_of(_pieces, st.text(max_size=12)), max_size=30)))
def test_any_bytes_give_a_page_or_an_error_of_ours(data: bytes | list[str]) -> None:
    raw = data if isinstance(data, bytes) else "".join(data).encode("utf-8", "surrogatepass")
    try:
        page = read_page(raw, URL)
    except SecretaryError:
        return
    page.markdown.encode()
    assert all(
        link.url.startswith(("http://", "https://")) for link in page.slides + page.videos + page.players
    )


@given(st.text(max_size=60))
def test_any_link_resolves_to_a_web_address_or_to_nothing(href: str) -> None:
    url = absolute_url(URL, href)
    assert url is None or (url.startswith(("http://", "https://")) and " " not in url)


PAGES = [
    "fosdem_2013_two_projects_to_optimize_python",
    "fosdem_2023_snabbflow",
    "pretalx_rc3_gluon_hardware_testen_de",
    "pretalx_lit2008_hardware_und_linux_de",
    "bsidesdfw_2016_sms_otp_resources",
    "bsd_conference_fighting_spam",
    "lit2012_libreoffice_und_tdf_de",
]
# slides, videos, captions, players: the numbers that EXPECTED.tsv says in words
COUNTS = {
    PAGES[0]: (2, 1, 1, 0),
    PAGES[1]: (1, 2, 0, 0),
    PAGES[2]: (0, 0, 0, 1),
    PAGES[3]: (1, 1, 0, 0),
    PAGES[4]: (0, 0, 0, 0),
    PAGES[5]: (1, 1, 1, 1),
    PAGES[6]: (1, 1, 0, 0),
}


@needs_shared
@pytest.mark.parametrize("name", PAGES)
def test_real_pages_give_what_is_expected_of_them(name: str) -> None:
    with (FIXTURES / "EXPECTED.tsv").open(encoding="utf-8") as stream:
        expected = {
            row["file"]: row for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    row = expected[f"pages/{name}.html"]
    page = read_page((FIXTURES / "pages" / f"{name}.html").read_bytes(), "http://host/pages/x.html")
    assert page.title == row["title"]
    assert list(page.speakers) == row["speakers"].split("; ")
    assert page.language == row["language"]
    assert (len(page.slides), len(page.videos), len(page.captions), len(page.players)) == COUNTS[name]
    for phrase in row["must contain"].split("; "):
        if phrase.startswith("not: "):
            assert phrase.removeprefix("not: ") not in page.markdown
        else:
            assert phrase in page.markdown
    assert page.moment.day


def test_recordings_that_only_the_metadata_name_are_found() -> None:
    html = """<html><head><title>T</title>
    <meta property="og:video" content="/media/talk.webm">
    <meta property="og:video:url" content="https://www.youtube.com/embed/abc">
    <script type="application/ld+json">{"@type": "Event", "name": "T",
      "video": {"@type": "VideoObject", "contentUrl": "talk.mp4", "embedUrl": "javascript:x"}}</script></head>
    <body><main><p>Words.</p><audio src="sound.mp3"></audio><video>
    <track kind="chapters" src="chapters.vtt"><track src="words.vtt" srclang="en"></video></main></body>"""
    page = read_page(html.encode(), "https://c.example/talks/1")
    assert [link.url for link in page.videos] == [
        "https://c.example/talks/sound.mp3",
        "https://c.example/talks/talk.mp4",
        "https://c.example/media/talk.webm",
    ]
    assert [link.url for link in page.players] == ["https://www.youtube.com/embed/abc"]
    assert [link.url for link in page.captions] == ["https://c.example/talks/words.vtt"]
