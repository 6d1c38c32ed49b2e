"""Job types for tests of the engine, found through their entry points like those of any other package.

What they did is in the file that TEST_JOBS_LOG names: one line per act, appended at once.
"""

from __future__ import annotations

import ctypes
import os
import time
from functools import partial

from common.errors import DownloadFailed, UnsupportedFile
from common.processing.base import Context, HandOver, Parameters, Result
from common.processing.registry import JobType

MEBIBYTE = 1024**2


class TestParameters(Parameters):
    """`marker` names the job in the log; `seconds` is how long it works."""

    __test__ = False  # not a test class, whatever its name

    marker: str = ""
    seconds: float = 0.0
    use_cache: bool = True


class PagesParameters(TestParameters):
    pages: int = 10


class FailParameters(TestParameters):
    """Fails with an error that a retry may mend, or with one that it cannot."""

    retryable: bool = False


_type = partial(JobType, summary="For tests.", parameters="secretary_test_types:TestParameters")
NOOP = _type(name="noop", handler="secretary_test_types:noop")
WORK = _type(name="work", handler="secretary_test_types:work")
SEGFAULT = _type(name="segfault", handler="secretary_test_types:segfault")
ALLOCATE = _type(name="allocate", handler="secretary_test_types:allocate")
STALL = _type(name="stall", handler="secretary_test_types:stall")
FAIL = _type(
    name="fail", parameters="secretary_test_types:FailParameters", handler="secretary_test_types:fail"
)
PAGES = _type(
    name="pages", parameters="secretary_test_types:PagesParameters", handler="secretary_test_types:pages"
)


def note(what: str) -> None:
    """One appended line; the kernel keeps those of several processes apart."""
    if path := os.environ.get("TEST_JOBS_LOG"):
        log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, f"{what}\n".encode())
        os.close(log)


def noop(parameters: TestParameters, context: Context) -> Result:
    note(f"ran {parameters.marker}")
    return Result()


def work(parameters: TestParameters, context: Context) -> Result:
    """Reports, sleeps in small steps, and leaves one file and an archive."""
    note(f"began {parameters.marker}")
    steps = max(round(parameters.seconds * 20), 1)
    for step in range(steps):
        context.progress.report("working", 100 * step / steps, done=step, total=steps)
        time.sleep(parameters.seconds / steps)
    context.files.write("result.md", f"# {parameters.marker}\n".encode())
    note(f"ended {parameters.marker}")
    return Result(markdown_file="result.md", archive_name="result.zip")


def pages(parameters: PagesParameters, context: Context) -> Result:
    """A long job that hands itself on before its time is up."""
    for page in range(context.checkpoint.get("pages", 0), parameters.pages):
        if context.progress.seconds_left() < 0.5:
            raise HandOver({"pages": page})
        context.progress.report("page", 100 * page / parameters.pages, done=page, total=parameters.pages)
        time.sleep(parameters.seconds)
        note(f"page {page} {parameters.marker}")
    return Result(metadata={"pages": parameters.pages})


def segfault(parameters: TestParameters, context: Context) -> Result:
    note(f"began {parameters.marker}")
    ctypes.string_at(0)
    return Result()


def allocate(parameters: TestParameters, context: Context) -> Result:
    """Takes memory until it is refused or killed."""
    note(f"began {parameters.marker}")
    held = []
    while True:
        held.append(bytearray(16 * MEBIBYTE))


def stall(parameters: TestParameters, context: Context) -> Result:
    """Says nothing for as long as it is told to."""
    note(f"began {parameters.marker}")
    time.sleep(parameters.seconds)
    return Result()


def fail(parameters: FailParameters, context: Context) -> Result:
    note(f"began {parameters.marker}")
    if parameters.retryable:
        raise DownloadFailed("The source did not answer.")
    raise UnsupportedFile("The file is not one that can be read.")
