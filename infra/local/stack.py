"""The supervisor behind `secretary up`: MongoDB, SeaweedFS, gateway, workers and timer in one home."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from common.client.words import say
from common.errors import SecretaryError
from common.jobs.database import create_indexes
from common.objects.store import ObjectStore
from common.services import build
from common.settings import Settings, load_settings
from infra.local import mongod, seaweed
from infra.local.errors import StackError
from infra.local.ports import HOST, is_free, remembered_ports
from infra.local.process import Process
from infra.local.whole_file import write_whole

READY_SECONDS = 60.0
WATCH_SECONDS = 0.25
STOP_SECONDS = 15.0
SWEEP_SECONDS = "5"  # on one machine a sweep costs next to nothing
STORES = ("mongod", "seaweedfs")


class Stack:
    """Everything `up` starts, and what it leaves in its home folder."""

    def __init__(
        self,
        home: Path,
        *,
        port: int,
        workers: int,
        environment: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        self._home = home
        self._port = port
        self._workers = workers
        self._environment = dict(environment)
        self._say = say
        self._processes: list[Process] = []
        self._lock: IO[str] | None = None
        self._stopping = False

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._port}"

    def run(self) -> None:
        """Until a signal; whatever happens, nothing that was started is left behind."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        try:
            self._start()
            while not self._stopping:
                self._watch()
        finally:
            self._stop()

    def _on_signal(self, *_: object) -> None:
        self._stopping = True

    def _start(self) -> None:
        self._take_home()
        if not is_free(self._port):
            raise StackError(say("port_in_use", port=self._port))
        environment = self._with_services()
        options = load_settings(environment)
        self._prepare(options)
        module = [sys.executable, "-m"]
        self._add("gateway", [*module, "infra.local.gateway", str(self._port)], environment)
        for number in range(1, self._workers + 1):
            self._add(
                f"worker-{number}",
                [*module, "infra.local.worker", f"worker-{number}-{os.getpid()}"],
                environment,
            )
        self._add("timer", [*module, "infra.local.timer"], environment)
        self._await(lambda: is_ready(self.url), "gateway")
        self._remember()
        self._say(f"ready {self.url}")

    def _take_home(self) -> None:
        """One stack per home: a lock the kernel drops with the process, so a power cut leaves none."""
        (self._home / "logs").mkdir(parents=True, exist_ok=True)
        self._lock = (self._home / "lock").open("a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock = None
            running = running_stack(self._home)
            where = say("already_where", url=running["url"], pid=running["pid"]) if running else ""
            raise StackError(say("already_runs", home=self._home, where=where)) from None
        os.set_inheritable(self._lock.fileno(), False)

    def _with_services(self) -> dict[str, str]:
        """The environment of all our processes; each service that is configured replaces its part."""
        environment = dict(self._environment)
        environment.setdefault("SECRETARY_SWEEP__INTERVAL_SECONDS", SWEEP_SECONDS)
        environment.setdefault("SECRETARY_WEBHOOKS__SECRET_KEYS", _sealing_key(self._home / "webhooks.key"))
        names = ("mongod", *seaweed.PORTS)
        ports = remembered_ports(self._home / "ports.json", names)
        if self._embeds("mongodb", "uri"):
            self._start_mongod(ports["mongod"])
            environment["MONGODB_URI"] = mongod.uri(ports["mongod"])
        if self._embeds("objects", "endpoint_url"):
            secret = seaweed.credentials(self._home / "credentials.json")
            self._add(
                "seaweedfs", seaweed.command(self._home / "seaweedfs", ports, secret), self._environment
            )
            environment |= {
                "S3_ENDPOINT_URL": seaweed.endpoint(ports),
                # Under our own names: AWS_* may be set for SQS, and the two are not the same.
                "SECRETARY_OBJECTS__ACCESS_KEY_ID": secret["access_key_id"],
                "SECRETARY_OBJECTS__SECRET_ACCESS_KEY": secret["secret_access_key"],
                "SECRETARY_OBJECTS__SESSION_TOKEN": "",
            }
        if self._embeds("mongodb", "uri"):
            mongod.make_primary(ports["mongod"])
        return environment

    def _embeds(self, section: str, key: str) -> bool:
        """Whether this part is ours: nobody has said, in a file or in the environment, where another is."""
        return key not in getattr(load_settings(self._environment), section).model_fields_set

    def _start_mongod(self, port: int) -> None:
        environment = dict(self._environment)
        libraries = mongod.library_path(self._home / "libraries")
        if libraries:
            environment["LD_LIBRARY_PATH"] = f"{libraries}:{environment.get('LD_LIBRARY_PATH', '')}".rstrip(
                ":"
            )
        self._add("mongod", mongod.command(self._home / "mongodb", port), environment)

    def _prepare(self, options: Settings) -> None:
        """The embedded store gets its bucket; one that is configured must have it, and is left as it is."""
        provided = build(options)
        try:
            create_indexes(provided.database)
            if self._embeds("objects", "endpoint_url"):
                self._await(lambda: _works(provided.objects.create_bucket), "SeaweedFS")
                self._await(lambda: _works(lambda: _write_something(provided.objects)), "SeaweedFS")
                own = [self.url, f"http://localhost:{self._port}"]  # the dashboard uploads and downloads too
                provided.objects.allow_origins([*options.http.allow_origins, *own])
            provided.objects.check()
            provided.queue.check()
        finally:
            provided.close()

    def _add(self, name: str, argv: list[str], environment: Mapping[str, str]) -> None:
        process = Process(name, argv, environment, self._home / "logs" / f"{name}.log")
        process.start()
        self._processes.append(process)

    def _await(self, check: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not check():
            if self._stopping:
                raise StackError(say("stopped_early"))
            if time.monotonic() > deadline:
                raise StackError(say("did_not_start", what=what, logs=self._home / "logs"))
            time.sleep(0.1)

    def _watch(self) -> None:
        restarted = [process for process in self._processes if process.check()]
        if restarted:
            self._remember()
        time.sleep(WATCH_SECONDS)

    def _remember(self) -> None:
        state = {
            "pid": os.getpid(),
            "url": self.url,
            "processes": {process.name: process.pid for process in self._processes},
        }
        write_whole(self._home / "state.json", json.dumps(state))

    def _stop(self) -> None:
        """Those that use MongoDB first, MongoDB and the store last."""
        stores = [process for process in self._processes if process.name in STORES]
        for group in ([process for process in self._processes if process not in stores], stores):
            for process in group:
                process.ask_to_stop()
            for process in group:
                process.wait_or_kill(STOP_SECONDS)
        if self._lock:
            (self._home / "state.json").unlink(missing_ok=True)


def _sealing_key(file: Path) -> str:
    """Made once, readable by its owner alone."""
    if not file.exists():
        write_whole(file, secrets.token_urlsafe(32))
    return file.read_text()


def _write_something(objects: ObjectStore) -> None:
    objects.put("ready", b"yes", "text/plain")


def _works(act: Callable[[], object]) -> bool:
    try:
        act()
    except SecretaryError:
        return False
    return True


def is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=5) as answer:  # noqa: S310 - our own loopback address
            return int(answer.status) == 200
    except (urllib.error.URLError, OSError):
        return False


def running_stack(home: Path) -> dict[str, Any] | None:
    """What `up` left behind, if it still runs. The lock tells, not the process id, which may be another's."""
    try:
        with (home / "lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with contextlib.suppress(OSError, ValueError):  # it is just starting or stopping
            state: dict[str, Any] = json.loads((home / "state.json").read_text())
            return state
    except OSError:
        pass  # there is no such home
    return None


def mongodb_uri(home: Path) -> str | None:
    """Of the embedded MongoDB in this home, whether it runs or not."""
    ports = home / "ports.json"
    return mongod.uri(json.loads(ports.read_text())["mongod"]) if ports.exists() else None


def stop_stack(home: Path) -> bool:
    """Ask the supervisor of this home to stop and wait until it has."""
    state = running_stack(home)
    if state is None:
        return False
    os.kill(state["pid"], signal.SIGTERM)
    deadline = time.monotonic() + 4 * STOP_SECONDS
    while running_stack(home):
        if time.monotonic() > deadline:
            raise StackError(say("did_not_stop", pid=state["pid"], seconds=4 * STOP_SECONDS))
        time.sleep(0.1)
    return True
