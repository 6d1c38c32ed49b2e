"""The faults: each does its harm at once, or for as long as it must last, and puts nothing right."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pymongo.errors import PyMongoError

from tests.faults.stack import GATEWAY, LEASE_SECONDS, FaultyStack, Worker, end

FREEZE_SECONDS = LEASE_SECONDS + 2.0
AWAY_SECONDS = 2.0


@dataclass
class Injector:
    """Chooses a fault by its weight and remembers what it did; `recoveries` are seconds after a kill."""

    stack: FaultyStack
    random: random.Random
    injected: dict[str, int] = field(default_factory=dict)
    recoveries: list[float] = field(default_factory=list)
    watchers: list[threading.Thread] = field(default_factory=list)

    def inject(self) -> None:
        faults: dict[str, tuple[int, Callable[[], None]]] = {
            "worker killed": (5, self._kill_worker),
            "job process killed": (5, self._kill_child),
            "worker frozen past its lease": (2, self._freeze_worker),
            "messages lost": (3, self._lose_messages),
            "messages doubled": (3, self._double_messages),
            "messages reordered": (3, self._reorder_messages),
            "MongoDB killed": (1, lambda: self._kill_program("mongod")),
            "object store away": (1, self._freeze_store),
            "API killed": (1, self._kill_api),
        }
        names = list(faults)
        (name,) = self.random.choices(names, [faults[each][0] for each in names])
        try:
            faults[name][1]()
        except PyMongoError:
            name = "messages lost"  # the database is away just now, and the queue with it
        self.injected[name] = self.injected.get(name, 0) + 1

    def _kill_worker(self) -> None:
        worker = self.random.choice(self.stack.workers)
        held = self._held(worker)
        end(worker.pid)
        worker.wait()
        self.stack.keep_workers()
        watcher = threading.Thread(target=self._watch, args=(held, time.monotonic()))
        watcher.start()
        self.watchers.append(watcher)

    def _held(self, worker: Worker) -> dict[str, int]:
        mine = {"status": "processing", "worker_id": worker.name}
        running = self.stack.database["jobs"].find(mine, {"attempt": 1})
        return {job["_id"]: job["attempt"] for job in running}

    def _watch(self, held: dict[str, int], killed: float) -> None:
        """Until each job that it ran has ended or runs again."""
        if not held:
            return
        while held:
            try:
                now = {
                    job["_id"]: job
                    for job in self.stack.database["jobs"].find(
                        {"_id": {"$in": list(held)}}, {"attempt": 1, "status": 1}
                    )
                }
            except PyMongoError:
                return  # another fault took over; its recovery is another measure
            held = {
                job_id: attempt
                for job_id, attempt in held.items()
                if now[job_id]["status"] == "processing" and now[job_id]["attempt"] == attempt
            }
            if time.monotonic() - killed > 10 * LEASE_SECONDS:
                break
            time.sleep(0.1)
        self.recoveries.append(time.monotonic() - killed)

    def _kill_child(self) -> None:
        children = self.stack.children()
        if children:
            end(self.random.choice(children))

    def _freeze_worker(self) -> None:
        """Its job is done by another meanwhile; when it wakes up, it must not write."""
        worker = self.random.choice(self.stack.workers)
        worker.send_signal(signal.SIGSTOP)
        thaw = threading.Timer(FREEZE_SECONDS, lambda: end(worker.pid, signal.SIGCONT))
        thaw.start()
        self.watchers.append(thaw)

    def _lose_messages(self) -> None:
        self.stack.database["messages"].delete_many({})

    def _double_messages(self) -> None:
        waiting = list(self.stack.database["messages"].aggregate([{"$sample": {"size": 20}}]))
        copies = [
            message | {"_id": f"{message['_id']}:{self.random.random()}", "receipt": None, "visible_at": None}
            for message in waiting
        ]
        if copies:
            self.stack.database["messages"].insert_many(copies)

    def _reorder_messages(self) -> None:
        shuffled = {"$add": ["$$NOW", {"$multiply": [{"$rand": {}}, 1000]}]}
        self.stack.database["messages"].update_many({"receipt": None}, [{"$set": {"visible_at": shuffled}}])

    def _kill_program(self, name: str) -> None:
        for pid in self.stack.server.programs(name):
            end(pid)

    def _freeze_store(self) -> None:
        for pid in self.stack.server.programs("weed"):
            end(pid, signal.SIGSTOP)
            thaw = threading.Timer(AWAY_SECONDS, lambda pid=pid: end(pid, signal.SIGCONT))
            thaw.start()
            self.watchers.append(thaw)

    def _kill_api(self) -> None:
        for pid in self.stack.server.pids(GATEWAY):
            end(pid)
