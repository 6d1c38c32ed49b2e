import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.names import (
    MAX_BYTES,
    MAX_CHARACTERS,
    collision_key,
    content_disposition,
    log_safe,
    safe_name,
    safe_path,
    unique_names,
)

FORBIDDEN = set('/\\:*?"<>|#^[]')
hostile = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="./\\: \t\n\0CONULcon12¹.\u202e\u0301e\ud800ﬃß", max_size=120),
    st.sampled_from(["CON", "nul.txt", "COM1 .md", "..", "../../etc/passwd", ".", "", "a" * 500 + ".pdf"]),
)


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("FOSDEM 2025", "FOSDEM_2025"),
        ("Main Track", "Main_Track"),
        ("welcome_fosdem.md", "welcome_fosdem.md"),
        ("Läuft meine Hardware mit Linux?", "Läuft_meine_Hardware_mit_Linux"),
        ("Snabbflow: a scalable IPFIX exporter ", "Snabbflow_a_scalable_IPFIX_exporter"),
        ("TCP/IP \\ UDP", "TCP-IP_-_UDP"),
        ("../../etc/passwd", "-.-etc-passwd"),
        ("..", "unnamed"),
        (" . ", "unnamed"),
        ("???", "unnamed"),
        ("CON", "_CON"),
        ("nul.tar.gz", "_nul.tar.gz"),
        ("com¹.txt", "_com¹.txt"),
        ("console", "console"),
        ("evil\u202egnp.exe", "evilgnp.exe"),
        ("two\r\nlines\0", "two_lines"),
        ("wait... what", "wait._what"),
        ("日本語のセッション", "日本語のセッション"),
        ("Cafe\u0301", "Café"),
    ],
)
def test_a_name_becomes_readable_and_harmless(given_name: str, expected: str) -> None:
    assert safe_name(given_name) == expected


def test_a_long_name_is_cut_at_a_word_and_keeps_its_suffix() -> None:
    words = ["conference", "session", "notes"]
    name = safe_name(" ".join(words * 8) + ".pdf")
    assert name.endswith(".pdf")
    assert len(name) <= MAX_CHARACTERS
    assert name.removesuffix(".pdf").rsplit("_", 1)[-1] in words


@given(hostile)
def test_every_name_keeps_every_rule(text: str) -> None:
    name = safe_name(text)
    assert 0 < len(name) <= MAX_CHARACTERS
    assert len(name.encode()) <= MAX_BYTES
    assert not FORBIDDEN & set(name)
    assert not any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in name)
    assert name == name.strip(". ")
    assert ".." not in name
    assert unicodedata.is_normalized("NFC", name)
    assert name.split(".")[0].casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


@given(hostile)
def test_applying_it_twice_changes_nothing(text: str) -> None:
    assert safe_name(safe_name(text)) == safe_name(text)


@given(st.lists(hostile, max_size=20), st.integers(1, 4))
def test_names_in_one_folder_never_collide(texts: list[str], times: int) -> None:
    names = unique_names(texts * times)
    assert len({collision_key(name) for name in names}) == len(names) == len(texts) * times
    assert all(safe_name(name) == name for name in names)


def test_the_first_of_two_equal_names_keeps_it() -> None:
    assert unique_names(["Talk.md", "talk.md", "talk_2.md", "Other"]) == [
        "Talk.md",
        "talk_3.md",
        "talk_2.md",
        "Other",
    ]


def test_long_names_stay_within_the_limits_when_numbered() -> None:
    names = unique_names(["𝔘" * 200 + ".md"] * 120)
    assert all(safe_name(name) == name and name.endswith(".md") for name in names)
    assert len(set(names)) == 120


def test_ten_thousand_equal_names_are_numbered_quickly() -> None:
    assert unique_names(["slides.pdf"] * 10_000)[-1] == "slides_10000.pdf"


def test_a_slash_inside_a_part_makes_no_folder() -> None:
    assert safe_path("sessions", "A/B", "..", "x.md") == "sessions/A-B/unnamed/x.md"


@given(hostile)
def test_a_header_value_has_no_quote_line_or_foreign_byte(text: str) -> None:
    header = content_disposition(text)
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    assert header.startswith("attachment; filename=")
    assert "\\" not in header


def test_the_header_carries_the_real_name_for_modern_clients() -> None:
    assert content_disposition("Größe.zip", inline=True) == (
        "inline; filename=\"Groe.zip\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.zip"
    )


@given(st.text(max_size=400))
def test_a_log_value_stays_on_its_line(text: str) -> None:
    value = log_safe(text)
    assert len(value.splitlines()) <= 1
    assert value.isprintable()
    value.encode()
