"""docs/deploy.md: its tables are what the simulation says, its parameters those of the template."""

from __future__ import annotations

import re

import pytest

from infra.aws.document import load
from infra.local.template import ROOT
from tests.bench.capacity import (
    LOADS,
    PAGE,
    cost,
    load_inputs,
    placeholders,
    raised,
    simulate,
    sources,
    with_tables,
)

SOURCES = {"measured", "counted", "limit", "price", "assumption", "placeholder"}


def test_the_tables_are_those_of_the_simulation() -> None:
    page = PAGE.read_text("utf-8")
    assert with_tables(page, load_inputs()) == page, "run python -m tests.bench.capacity"


def test_each_input_says_where_it_comes_from() -> None:
    told = dict(sources(load_inputs()))
    assert set(told.values()) <= SOURCES
    assert len(told) > 30
    assert "jobs.pdf.seconds" in told
    assert all(told[name] == "placeholder" for name in placeholders(load_inputs()))


def test_the_page_warns_while_there_are_placeholders() -> None:
    warned = "placeholders until `make bench`" in PAGE.read_text("utf-8")
    assert warned == bool(placeholders(load_inputs()))


def test_a_day_within_the_limits_leaves_nothing_behind() -> None:
    day = simulate(load_inputs(), LOADS[0])
    assert (day.unfinished, round(day.longest_wait_minutes)) == (0, 0)
    assert all(share < 1 for share in day.use.values())


def test_a_day_beyond_a_limit_waits_and_raising_it_helps() -> None:
    inputs = load_inputs()
    beyond, helped = simulate(inputs, LOADS[-1]), simulate(raised(inputs), LOADS[-1])
    assert beyond.use[beyond.first_limit] > 1
    assert beyond.unfinished > 0
    assert helped.unfinished == 0


def test_twice_the_work_costs_twice_as_much() -> None:
    inputs = load_inputs()
    once, twice = cost(inputs, "session", 1_000), cost(inputs, "session", 2_000)
    assert sum(twice.values()) == pytest.approx(2 * sum(once.values()))


def test_the_secret_on_the_page_has_the_keys_that_the_template_reads() -> None:
    template = (ROOT / "template.yaml").read_text("utf-8")
    page = PAGE.read_text("utf-8")
    read = set(re.findall(r"SecretString:(\w+)\}\}", template))
    assert read == set(
        re.findall(r'"(\w+)":"', page[page.index("create-secret") :].split("```")[0].replace(" ", ""))
    )


def test_parameters_on_the_page_exist() -> None:
    page = PAGE.read_text("utf-8")
    section = page[page.index("## AWS") : page.index("## Upgrade")]
    named = set(re.findall(r"\b([A-Z]\w+)=", section)) - {"AWS_LWA_ERROR_STATUS_CODES", "MONGODB_URI"}
    assert named
    assert named <= set(load()["Parameters"])
