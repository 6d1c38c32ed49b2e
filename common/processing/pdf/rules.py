"""Strokes and painted areas become ruled lines, and ruled lines that touch become regions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from common.processing.pdf.spans import Box, Word

SAME = 2.0  # points between two strokes that are one line
TOUCH = 3.0  # points by which lines may miss each other at a corner
UNDERLINE_DEPTH = 4.0  # points below the baseline
UNDERLINE_SLACK = 2.0  # points by which an underline may miss its words
MAX_RULES = 800  # a page with more is a drawing


class Rule(NamedTuple):
    """A straight line: its position across, and from where to where it runs."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


class Ruling(NamedTuple):
    """The horizontal and vertical lines of a page or a region."""

    across: list[Rule]
    down: list[Rule]

    @property
    def box(self) -> Box:
        xs = [rule.at for rule in self.down] + [x for rule in self.across for x in rule[1:]]
        ys = [rule.at for rule in self.across] + [y for rule in self.down for y in rule[1:]]
        return Box(min(xs), min(ys), max(xs), max(ys))


def ruling(strokes: Sequence[Box], fills: Sequence[Box], *, width: float, height: float) -> Ruling:
    """All lines of a page, strokes along one line merged; edges of painted areas count as lines."""
    across = [Rule((b.y0 + b.y1) / 2, b.x0, b.x1) for b in strokes if b.width >= b.height]
    down = [Rule((b.x0 + b.x1) / 2, b.y0, b.y1) for b in strokes if b.height > b.width]
    for b in fills:
        if b.width > 0.9 * width and b.height > 0.5 * height:
            continue  # the background of the page
        across += [Rule(b.y0, b.x0, b.x1), Rule(b.y1, b.x0, b.x1)]
        down += [Rule(b.x0, b.y0, b.y1), Rule(b.x1, b.y0, b.y1)]
    if len(across) + len(down) > 4 * MAX_RULES:
        return Ruling([], [])
    result = Ruling(merged(across), merged(down))
    return result if len(result.across) + len(result.down) <= MAX_RULES else Ruling([], [])


def merged(rules: Iterable[Rule]) -> list[Rule]:
    """Lines at one position that meet become one."""
    result: list[Rule] = []
    for group in groups(sorted(rules), SAME):
        at = sum(rule.at for rule in group) / len(group)
        current: Rule | None = None
        for rule in sorted(group, key=lambda rule: rule.start):
            if current is not None and rule.start <= current.end + TOUCH:
                current = Rule(at, current.start, max(current.end, rule.end))
                continue
            if current is not None:
                result.append(current)
            current = Rule(at, rule.start, rule.end)
        if current is not None:
            result.append(current)
    return result


def groups(rules: Sequence[Rule], slack: float) -> Iterable[list[Rule]]:
    """Neighbours in position, `slack` apart at most."""
    current: list[Rule] = []
    for rule in rules:
        if current and rule.at - current[-1].at > slack:
            yield current
            current = []
        current.append(rule)
    if current:
        yield current


def regions(lines: Ruling) -> list[Ruling]:
    """Sets of lines that touch each other, the largest first."""
    count = len(lines.across)
    parent = list(range(count + len(lines.down)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, h in enumerate(lines.across):
        for j, v in enumerate(lines.down):
            if h.start - TOUCH <= v.at <= h.end + TOUCH and v.start - TOUCH <= h.at <= v.end + TOUCH:
                parent[root(i)] = root(count + j)
    found: dict[int, Ruling] = {}
    for i, h in enumerate(lines.across):
        found.setdefault(root(i), Ruling([], [])).across.append(h)
    for j, v in enumerate(lines.down):
        found.setdefault(root(count + j), Ruling([], [])).down.append(v)
    return sorted(found.values(), key=lambda region: -len(region.across) - len(region.down))


def without_underlines(rules: Sequence[Rule], words: Sequence[Word]) -> list[Rule]:
    """Horizontal lines without those that run just below words, from their first letter to their last."""
    ordered = sorted(words, key=lambda word: word.base)
    bases = [word.base for word in ordered]
    return [rule for rule in rules if not is_underline(rule, ordered, bases)]


def is_underline(rule: Rule, words: Sequence[Word], bases: Sequence[float]) -> bool:
    """`words` are sorted by their baselines, which are `bases`."""
    near = words[bisect_left(bases, rule.at - UNDERLINE_DEPTH) : bisect_right(bases, rule.at + 0.5)]
    above = [word for word in near if word.x1 > rule.start + 0.5 and word.x0 < rule.end - 0.5]
    if not above:
        return False
    left, right = min(word.x0 for word in above), max(word.x1 for word in above)
    return abs(left - rule.start) < UNDERLINE_SLACK and abs(right - rule.end) < UNDERLINE_SLACK
