"""The text form of Prometheus."""

from __future__ import annotations

from common.metrics.prometheus import Family, exposition


def test_a_family_has_its_help_its_type_and_one_line_per_sample() -> None:
    family = Family(name="jobs", help="Jobs.", samples=[({"type": "pdf"}, 3), ({}, 0.25)])

    assert exposition([family]).decode() == (
        '# HELP jobs Jobs.\n# TYPE jobs gauge\njobs{type="pdf"} 3\njobs 0.25\n'
    )


def test_a_label_cannot_break_out_of_its_quotes() -> None:
    family = Family(name="jobs", help="Jobs.", samples=[({"type": 'a"b\\c\nd'}, 1)])

    assert exposition([family]).decode().splitlines()[2] == 'jobs{type="a\\"b\\\\c\\nd"} 1'
