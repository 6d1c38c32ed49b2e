from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import TemplateError
from common.processing.transform.library import BUNDLED, TemplateFile, find_template, list_templates
from common.processing.transform.render import render
from common.processing.transform.schema import FieldType
from common.processing.transform.template import VARIABLES, parse_template

TEMPLATE = """---
title: {{title|The title}}
topics: {{topics|List of keywords}}
level: {{relevance|An integer from 1 to 5}}
where: "{{event}}, {{track}}"
fixed: [1, two]
---
# {{title}}

**By:** {{speakers}} · **Day:** {{date}}

## Points
{{points|Markdown bullet list
 of points}}

## Always here
A line of its own.

{slides}

--- systemprompt
Be brief.
"""


def head_of(markdown: str) -> dict[str, object]:
    found = yaml.safe_load(markdown.split("---\n")[1])
    assert isinstance(found, dict)
    return found


def test_questions_values_and_system_prompt_are_told_apart() -> None:
    template = parse_template(TEMPLATE)
    kinds = {field.name: field.type for field in template.fields}
    assert kinds == {
        "title": FieldType.TEXT,
        "topics": FieldType.LIST,
        "relevance": FieldType.INTEGER,
        "points": FieldType.TEXT,
    }
    assert template.system_prompt == "Be brief."
    assert template.names >= {"title", "event", "track", "speakers", "date", "points"}


def test_front_matter_is_typed_and_escaped() -> None:
    values = {
        "title": 'Say: "yes" # now',
        "topics": ["a: b", "c"],
        "relevance": 4,
        "event": "E",
        "track": "T",
    }
    markdown = render(parse_template(TEMPLATE), values)
    assert head_of(markdown) == {
        "title": 'Say: "yes" # now',
        "topics": ["a: b", "c"],
        "level": 4,
        "where": "E, T",
        "fixed": [1, "two"],
    }


def test_hollow_lines_parts_and_sections_are_left_out() -> None:
    markdown = render(parse_template(TEMPLATE), {"title": "T", "date": "2025-05-03"})
    assert "**Day:** 2025-05-03" in markdown
    assert "By:" not in markdown
    assert "## Points" not in markdown
    assert "## Always here\nA line of its own." in markdown


def test_a_value_is_never_read_as_template() -> None:
    template = parse_template("{{title}} {slides}")
    markdown = render(template, {"title": "{{text}} {slides}", "text": "no"}, blocks={"slides": "{{title}}"})
    assert markdown == "{{text}} {slides} {{title}}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\ntitle: x\n# no end", "no end; expected a line '---'"),
        ("---\ntitle: [1\n---\n", "not YAML: .* in line"),
        ("---\n- a\n---\n", "is a list; expected lines 'name: value'"),
        ("---\na: &x 1\nb: *x\n---\n", "YAML alias"),
        ("{{a b|what?}}", "expected {{name}} or {{name\\|question}}"),
        ("x" * 200_001, "found 200001 characters"),
        ("".join(f"{{{{f{number}|q}}}}" for number in range(101)), "101 questions, expected at most 100"),
    ],
)
def test_a_template_with_a_fault_says_what_was_found(text: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said):
        parse_template(text)


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    with pytest.raises(TemplateError, match=r"unknown field 'speekers'; expected one of .*speakers"):
        parse_template("{{speekers}}").check_names(())
    parse_template("{{speekers}}").check_names(("speekers",))


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_is_a_template_or_a_named_fault(text: str) -> None:
    try:
        template = parse_template(text)
    except TemplateError:
        return
    assert isinstance(render(template, {}), str)


def text_of(bundled: TemplateFile) -> str:
    return (BUNDLED / f"{bundled.stem}.md").read_text(encoding="utf-8")


def test_every_bundled_template_asks_only_for_what_there_is() -> None:
    found = {(one.name, one.language) for one in list_templates()}
    assert {("Session", language) for language in ("de", "en", "fr", "es", "it")} <= found
    others = ("PdfAnalysis", "Minutes", "BlogPost")
    assert {(name, language) for name in others for language in ("de", "en")} <= found
    for one in list_templates():
        template = parse_template(text_of(one), name=one.name)
        template.check_names(())
        assert template.system_prompt
        assert {field.name for field in template.fields} - VARIABLES


def test_the_languages_of_a_template_ask_the_same_questions() -> None:
    for name in {one.name for one in list_templates()}:
        kinds = {
            one.language: {field.name: field.type for field in parse_template(text_of(one)).fields}
            for one in list_templates()
            if one.name == name
        }
        assert len({tuple(sorted(fields.items())) for fields in kinds.values()}) == 1, name


def test_a_folder_of_the_operator_goes_before_the_bundled_ones(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("templates")
    (folder / "Session_de.md").write_text("# Mein {{title}}")
    assert find_template("Session", language="de", folders=[folder]).body == "# Mein {{title}}\n"
    assert find_template("Session", language="en", folders=[folder]).name == "Session_en"
    assert find_template("Session", language="fi", folders=[folder]).name == "Session_en"
    assert [one.bundled for one in list_templates([folder]) if one.stem == "Session_de"] == [False]


@pytest.mark.parametrize("name", ["../secret", "a/b", "", "." * 3, "Session.md"])
def test_a_template_name_cannot_leave_its_folder(name: str) -> None:
    with pytest.raises(TemplateError, match="Not a template's name"):
        find_template(name, language="de", folders=[BUNDLED])


def test_a_template_that_is_no_text_is_a_named_fault(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("templates")
    (folder / "Odd_de.md").write_bytes(b"\xff\xfe\x00\xd8")
    with pytest.raises(TemplateError, match="expected a UTF-8 text file"):
        find_template("Odd", language="de", folders=[folder])
