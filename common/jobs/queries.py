"""What callers ask for in a query string: validated here, and described from here in the specification."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from common.jobs.lifecycle import JobStatus

MOST_ROWS = 200
MOST_OLD_ROWS = 1_000
LONGEST_WAIT_SECONDS = 25  # below the 30 seconds after which an API gateway hangs up

Text = Annotated[str, Field(max_length=200)]  # empty counts as not given
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many rows at most.")]
Skip = Annotated[int, Field(ge=0, le=1_000_000, description="How many rows to leave out.")]
Cursor = Annotated[str, Field(max_length=200, description="`next_cursor` of the page before this one.")]
Wait = Annotated[
    int,
    Field(
        ge=0,
        le=LONGEST_WAIT_SECONDS,
        description="Seconds to wait for something newer than `since` before answering.",
    ),
]


class Query(BaseModel):
    """Base of all query strings. Unknown names are ignored, because proxies and pages add their own."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class NoQuery(Query):
    """Of a route that has no options."""


class JobFilters(Query):
    """Which jobs a list shows; all that are given must hold."""

    status: Annotated[JobStatus | None, Field(description="Jobs in this state.")] = None
    job_type: Annotated[Text | None, Field(description="Jobs of this type.")] = None
    batch_id: Annotated[Text | None, Field(description="Members of this batch.")] = None
    user_id: Annotated[Text | None, Field(description="Jobs of this user.")] = None


class JobsQuery(JobFilters):
    """`GET /api/jobs`."""

    tag: Annotated[Text | None, Field(description="Jobs with this tag.")] = None
    created_after: Annotated[AwareDatetime | None, Field(description="Created at this time or later.")] = None
    created_before: Annotated[AwareDatetime | None, Field(description="Created before this time.")] = None
    q: Annotated[
        Text | None,
        Field(description="Words of the name, event, session, track, file name or URL; all must occur."),
    ] = None
    limit: Limit = 50
    cursor: Cursor | None = None
    wait: Wait = 0
    since: Annotated[Text | None, Field(description="The `version` last seen.")] = None


class OldJobsQuery(JobFilters):
    """The lists of jobs on the old routes. A batch's list is whole unless a limit says otherwise."""

    limit: Annotated[int | None, Field(ge=1, le=MOST_OLD_ROWS)] = None
    skip: Skip = 0


class JobQuery(Query):
    """`GET /api/jobs/{job_id}`."""

    wait: Wait = 0
    since: Annotated[
        int | None, Field(ge=0, le=10**9, description="The `version` last seen; without it, the present one.")
    ] = None


class LogsQuery(Query):
    limit: Limit = MOST_ROWS
    skip: Skip = 0


class BatchesQuery(Query):
    """`GET /api/batches`."""

    user_id: Annotated[Text | None, Field(description="Batches of this user.")] = None
    archived: Annotated[bool | None, Field(description="Only archived ones, or only the others.")] = None
    ended: Annotated[bool | None, Field(description="Only those that have ended, or only the others.")] = None
    limit: Limit = 50
    cursor: Cursor | None = None
    wait: Wait = 0
    since: Annotated[Text | None, Field(description="The `version` last seen.")] = None


class OldBatchesQuery(Query):
    user_id: Text | None = None
    archived: bool | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_OLD_ROWS)] = 100
    skip: Skip = 0


class BatchQuery(Query):
    """`GET /api/batches/{batch_id}`."""

    wait: Wait = 0
    since: Annotated[Text | None, Field(description="The `version` last seen.")] = None


class ArchiveQuery(Query):
    redirect: Annotated[bool, Field(description="false answers with the URL instead of going there.")] = True


class FileQuery(ArchiveQuery):
    inline: Annotated[bool, Field(description="Show text and pictures instead of saving them.")] = False


class StatisticsQuery(Query):
    """`GET /api/monitoring/events/stats`."""

    window: Annotated[
        Literal["1h", "24h", "7d", "30d"], Field(description="How far back durations and throughput look.")
    ] = "24h"
