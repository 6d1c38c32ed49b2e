"""The text form of Prometheus: families of samples with labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Family:
    """One metric: all its samples have the same label names."""

    name: str
    help: str
    samples: Iterable[tuple[Mapping[str, str], float]]


def exposition(families: Iterable[Family]) -> bytes:
    lines: list[str] = []
    for family in families:
        lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} gauge"]
        lines += [f"{family.name}{_labels(labels)} {value:g}" for labels, value in family.samples]
    return ("\n".join(lines) + "\n").encode()


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
