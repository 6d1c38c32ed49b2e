"""Use-case of `secretary migrate`: indexes and documents of this release, while workers go on."""

from __future__ import annotations

from itertools import islice

from pymongo import UpdateOne
from pymongo.collection import Collection
from pymongo.database import Database

from common import logs
from common.errors import SecretaryError
from common.jobs.database import Document, create_indexes
from common.jobs.model import SCHEMA_VERSION
from common.migrations.steps import STEPS, Step

AT_ONCE = 500


class SchemaTooNew(SecretaryError):
    """Raised when documents come from a later release than this one."""

    code = "SCHEMA_TOO_NEW"


def migrate(database: Database[Document]) -> dict[str, int]:
    """How many documents were brought up to date, by collection. Can be stopped and run again."""
    for name in STEPS:
        _refuse_newer(database[name])
    create_indexes(database)
    return {
        name: sum(_advance(database[name], version, step) for version, step in sorted(steps.items()))
        for name, steps in STEPS.items()
    }


def _refuse_newer(collection: Collection[Document]) -> None:
    newer = collection.find_one({"schema": {"$gt": SCHEMA_VERSION}}, {"schema": 1})
    if newer:
        raise SchemaTooNew(
            f"Expected documents of version {SCHEMA_VERSION} or older in {collection.name}, found version "
            f"{newer['schema']}: a later release has been here."
        )


def _advance(collection: Collection[Document], version: int, step: Step) -> int:
    """The version is part of each filter: what someone else has advanced meanwhile is left alone."""
    here: Document = {"schema": version} if version else {"schema": {"$exists": False}}
    changed = 0
    found = collection.find(here)
    while documents := list(islice(found, AT_ONCE)):
        updates = [
            UpdateOne({"_id": item["_id"]} | here, {"$set": step(item) | {"schema": version + 1}})
            for item in documents
        ]
        changed += collection.bulk_write(updates, ordered=False).modified_count
        logs.info("documents migrated", collection=collection.name, version=version + 1, count=changed)
    return changed
