"""A text and a template to Markdown: one structured call to the model, or several for a long text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from common.processing.base import LanguageModel, Warning
from common.processing.transform.messages import message
from common.processing.transform.prompt import GLOSSARY, merge_note, part_note, system_prompt, user_prompt
from common.processing.transform.render import render
from common.processing.transform.schema import Field, conform, json_schema
from common.processing.transform.split import split_text
from common.processing.transform.template import Template

# About 15,000 tokens: within what the smaller models of today read. A model may state its own.
INPUT_CHARACTERS = 60_000

Report = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Transformation:
    markdown: str
    values: dict[str, Any]  # what the template's questions were answered with
    warnings: tuple[Warning, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Material:
    """What there is to write about. `context` values are known and need no model."""

    text: str
    context: Mapping[str, Any] = field(default_factory=dict)
    source_language: str = ""
    target_language: str = "en"


def transform(
    template: Template,
    material: Material,
    *,
    model: LanguageModel | None,
    blocks: Mapping[str, str] | None = None,
    report: Report | None = None,
) -> Transformation:
    template.check_names(material.context)
    asked = questions(template, material.context)
    answers, warnings = _answers(template, material, asked, model, report)
    languages = {
        "language": material.target_language,
        "source_language": material.source_language,
        "target_language": material.target_language,
    }
    values = {**languages, **material.context, "text": material.text, **answers}
    return Transformation(
        markdown=render(template, values, blocks=blocks),
        values={one.name: values.get(one.name) for one in template.fields},
        warnings=warnings,
    )


def questions(template: Template, context: Mapping[str, Any]) -> tuple[Field, ...]:
    """All fields but the names that are known: those are never translated, so nobody is asked."""
    return tuple(one for one in template.fields if not (one.name in GLOSSARY and context.get(one.name)))


def _answers(
    template: Template,
    material: Material,
    asked: Sequence[Field],
    model: LanguageModel | None,
    report: Report | None,
) -> tuple[dict[str, Any], tuple[Warning, ...]]:
    if not asked:
        return {}, ()
    if model is None:
        missing = [one.name for one in asked if not material.context.get(one.name)]
        text = message("no_model", material.target_language, fields=", ".join(missing) or "-")
        return {}, (Warning(code="LLM_NOT_CONFIGURED", message=text),)
    return _Questioner(template, material, asked, model, report).ask(), ()


class _Questioner:
    """Asks the same questions of every part of a text, and unites the answers."""

    def __init__(
        self,
        template: Template,
        material: Material,
        asked: Sequence[Field],
        model: LanguageModel,
        report: Report | None,
    ) -> None:
        self._material = material
        self._asked = asked
        self._model = model
        self._report = report
        self._schema = json_schema(asked)
        self._limit = int(getattr(model, "input_characters", INPUT_CHARACTERS))
        self._system = system_prompt(
            template.system_prompt,
            target_language=material.target_language,
            context=material.context,
            questions=asked,
        )

    def ask(self) -> dict[str, Any]:
        parts = split_text(self._material.text, self._limit)
        if len(parts) == 1:
            return self._call(parts[0])
        total = len(parts)
        answers = []
        for number, part in enumerate(parts, 1):
            if self._report:
                self._report(number - 1, total)
            answers.append(self._call(part, note=part_note(number, total)))
        return self._united(answers)

    def _united(self, answers: list[dict[str, Any]]) -> dict[str, Any]:
        """In groups that fit the model, until one answer is left."""
        while len(answers) > 1:
            groups = _grouped([json.dumps(answer, ensure_ascii=False) for answer in answers], self._limit)
            answers = [self._call("\n".join(group), note=merge_note(len(group))) for group in groups]
        return answers[0]

    def _call(self, text: str, *, note: str = "") -> dict[str, Any]:
        user = user_prompt(
            text, context=self._material.context, source_language=self._material.source_language, part=note
        )
        answer = self._model.structured(system=self._system, user=user, schema=self._schema)
        return conform(answer, self._asked)


def _grouped(texts: Sequence[str], limit: int) -> list[list[str]]:
    """Groups of two and more, so that each round leaves fewer; one too long for two is shortened."""
    groups: list[list[str]] = [[]]
    for text in (one[: limit // 2] for one in texts):
        if len(groups[-1]) >= 2 and sum(map(len, groups[-1])) + len(text) > limit:
            groups.append([])
        groups[-1].append(text)
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [[*groups[-2], *groups[-1]]]
    return groups
