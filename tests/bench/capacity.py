"""`python -m tests.bench.capacity`: a day minute by minute at growing loads, and what it costs.

All inputs are in measurements.json, each with its source; an output is as good as the weakest of them, so the
placeholders are counted and named. The tables are written into docs/deploy.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEASUREMENTS = Path(__file__).with_name("measurements.json")
PAGE = Path(__file__).parents[2] / "docs" / "deploy.md"
LOADS = (10_000, 100_000, 1_000_000, 3_000_000, 10_000_000)
MINUTES = 24 * 60
SQS_CALLS_PER_JOB = 0.1 + 1 + 1  # a tenth of a batched send, a receive, a delete
Inputs = dict[str, Any]


def load_inputs() -> Inputs:
    loaded: Inputs = json.loads(MEASUREMENTS.read_text("utf-8"))
    return loaded


def value(entry: Inputs) -> float:
    return float(entry["value"])


def sources(inputs: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each input and where it comes from."""
    if isinstance(inputs, dict):
        if "source" in inputs:
            yield path, inputs["source"]
            return
        for name, entry in inputs.items():
            yield from sources(entry, f"{path}.{name}" if path else name)


@dataclass(frozen=True, kw_only=True)
class Day:
    """What one simulated day did: the highest use of each limit, and how long work waited."""

    jobs: int
    use: dict[str, float]  # 1.0 is all that the limit allows
    longest_wait_minutes: float
    unfinished: int

    @property
    def first_limit(self) -> str:
        return max(self.use, key=lambda name: self.use[name])


def demand(inputs: Inputs, jobs_per_second: float) -> dict[str, float]:
    """What this rate of new jobs asks of each part, before anything is refused."""
    api, kinds, mongodb = inputs["api"], inputs["jobs"], inputs["mongodb"]
    submits = jobs_per_second / value(api["jobs_per_submit"])
    polls = jobs_per_second * value(api["long_polls_per_job"])
    reads = jobs_per_second * value(api["reads_per_job"])
    busy_api = (
        submits * value(api["submit_seconds"])
        + polls * value(api["long_poll_seconds"])
        + reads * value(api["read_seconds"])
    )
    pulses = sum(kind["share"] * value(kind["seconds"]) for kind in kinds.values()) / value(
        mongodb["pulse_seconds"]
    )
    return {
        "requests": submits + polls + reads,
        "api_concurrency": busy_api,
        "writes": jobs_per_second * (value(mongodb["writes_per_job"]) + pulses),
        "puts": jobs_per_second * sum(kind["share"] * value(kind["puts"]) for kind in kinds.values()),
    }


def arrivals(jobs: int, peak_over_mean: float) -> Iterator[float]:
    """Jobs of each minute: a calm night and one high noon, `peak_over_mean` times the mean."""
    steepness = 1.0
    while _peak(steepness) < peak_over_mean:
        steepness += 0.1
    shape = _shape(steepness)
    total = sum(shape)
    yield from (jobs * part / total for part in shape)


def _shape(steepness: float) -> list[float]:
    return [math.sin(math.pi * minute / MINUTES) ** steepness for minute in range(MINUTES)]


def _peak(steepness: float) -> float:
    shape = _shape(steepness)
    return max(shape) / (sum(shape) / len(shape))


def simulate(inputs: Inputs, jobs: int) -> Day:
    """Workers grow by what Lambda allows each minute, up to what the API leaves of the account's limit."""
    limits = {name: value(entry) for name, entry in inputs["limits"].items()}
    mean_seconds = sum(
        kind["share"] * (value(kind["seconds"]) + value(inputs["function_start_seconds"]) * 0.05)
        for kind in inputs["jobs"].values()
    )
    use = dict.fromkeys(
        (
            "API Gateway requests",
            "Lambda concurrency",
            "SQS messages in flight",
            "MongoDB writes",
            "S3 writes",
        ),
        0.0,
    )
    backlog = workers = longest = 0.0
    for arrived in arrivals(jobs, value(inputs["day"]["peak_over_mean"])):
        asked = demand(inputs, arrived / 60)
        backlog += arrived
        room = max(limits["lambda_concurrency"] - asked["api_concurrency"], 0.0)
        wanted = backlog * mean_seconds / 60
        workers = min(wanted, workers + limits["lambda_growth_per_minute"], room)
        done = min(backlog, workers * 60 / mean_seconds)
        backlog -= done
        if done:
            longest = max(longest, backlog / done)
        for name, share in {
            "API Gateway requests": asked["requests"] / limits["gateway_requests_per_second"],
            "Lambda concurrency": (asked["api_concurrency"] + arrived * mean_seconds / 60)
            / limits["lambda_concurrency"],
            "SQS messages in flight": workers / limits["sqs_in_flight_per_queue"],
            "MongoDB writes": asked["writes"] / value(inputs["mongodb"]["writes_per_second"]),
            "S3 writes": asked["puts"] / limits["s3_puts_per_second_per_prefix"],
        }.items():
            use[name] = max(use[name], share)
    return Day(jobs=jobs, use=use, longest_wait_minutes=longest, unfinished=round(backlog))


def cost(inputs: Inputs, kind_name: str, count: float) -> dict[str, float]:
    """Dollars for so many jobs of one kind, by part. MongoDB is rented by the month and not in it."""
    kind, prices, api = inputs["jobs"][kind_name], inputs["prices"], inputs["api"]
    requests = count * (
        1 / value(api["jobs_per_submit"]) + value(api["long_polls_per_job"]) + value(api["reads_per_job"])
    )
    api_seconds = count * (
        value(api["submit_seconds"]) / value(api["jobs_per_submit"])
        + value(api["long_polls_per_job"]) * value(api["long_poll_seconds"])
        + value(api["reads_per_job"]) * value(api["read_seconds"])
    )
    worker_gb = count * value(kind["seconds"]) * value(inputs["memory_gb"]["worker"])
    api_gb = api_seconds * value(inputs["memory_gb"]["api"])
    million = 1_000_000
    return {
        "workers": worker_gb * value(prices["lambda_gb_second"])
        + count * value(prices["lambda_million_calls"]) / million,
        "API": api_gb * value(prices["lambda_gb_second"])
        + requests
        * (value(prices["lambda_million_calls"]) + value(prices["gateway_million_requests"]))
        / million,
        "queue": count * SQS_CALLS_PER_JOB * value(prices["sqs_million_calls"]) / million,
        "storage writes": count * value(kind["puts"]) * value(prices["s3_thousand_puts"]) / 1000,
        "storage, a month": count * value(kind["stored_mb"]) / 1000 * value(prices["s3_gb_month"]),
    }


def raised(inputs: Inputs) -> Inputs:
    """With the quotas that an operator asks for before the load comes."""
    return inputs | {"limits": inputs["limits"] | inputs["raised_limits"]}


def capacity_table(inputs: Inputs) -> list[str]:
    days = [simulate(inputs, jobs) for jobs in LOADS]
    names = list(days[0].use)
    rows = ["| jobs a day | " + " | ".join(names) + " | longest wait | left at midnight | first limit |"]
    rows.append("|---" * (len(names) + 4) + "|")
    for day in days:
        used = " | ".join(f"{day.use[name]:.1%}" for name in names)
        wait = f"{day.longest_wait_minutes:.0f} min"
        rows.append(f"| {day.jobs:,} | {used} | {wait} | {day.unfinished:,} | {day.first_limit} |")
    return rows


def cost_table(inputs: Inputs) -> list[str]:
    pages = value(inputs["jobs"]["pdf"]["pages"])
    columns = {
        "1,000 sessions": cost(inputs, "session", 1_000),
        "100,000 pages of PDF": cost(inputs, "pdf", 100_000 / pages),
    }
    parts = list(next(iter(columns.values())))
    rows = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    rows += [
        f"| {part} | " + " | ".join(f"${column[part]:.2f}" for column in columns.values()) + " |"
        for part in parts
    ]
    rows.append(
        "| **all** | " + " | ".join(f"**${sum(column.values()):.2f}**" for column in columns.values()) + " |"
    )
    return rows


def placeholders(inputs: Inputs) -> list[str]:
    return [name for name, source in sources(inputs) if source == "placeholder"]


def with_tables(page: str, inputs: Inputs) -> str:
    """The page with its tables made anew, each between its marks."""
    tables = {
        "capacity": capacity_table(inputs),
        "capacity raised": capacity_table(raised(inputs)),
        "cost": cost_table(inputs),
    }
    for name, rows in tables.items():
        start = f"<!-- {name} -->\n"
        before, _, rest = page.partition(start)
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise ValueError(f"expected {start.strip()} and its end on the page, found none")
        page = before + start + "\n".join(rows) + "\n" + end + after
    return page


def main() -> None:
    inputs = load_inputs()
    PAGE.write_text(with_tables(PAGE.read_text("utf-8"), inputs), "utf-8")
    for rows in (capacity_table(inputs), capacity_table(raised(inputs)), cost_table(inputs)):
        print("\n".join(rows), "\n")
    print(f"placeholders, not measurements: {', '.join(placeholders(inputs))}")


if __name__ == "__main__":
    main()
