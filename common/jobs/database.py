"""The connection to MongoDB and every index. A query without an index here is a defect."""

from __future__ import annotations

from typing import Any

from bson.codec_options import CodecOptions
from pymongo import ASCENDING, DESCENDING, IndexModel, MongoClient, WriteConcern
from pymongo.database import Database
from pymongo.errors import (
    AutoReconnect,
    ConnectionFailure,
    ExecutionTimeout,
    NetworkTimeout,
    PyMongoError,
    WaitQueueTimeoutError,
)

from common.errors import SecretaryError
from common.settings import Mongodb

Document = dict[str, Any]

# What pymongo raises while MongoDB is away; anything else is a fault of ours.
OUTAGES = (AutoReconnect, ConnectionFailure, ExecutionTimeout, NetworkTimeout, WaitQueueTimeoutError)

# What MongoDB, the object store or the queue may answer instead: loops that run for ever wait, and go on.
FAULTS = (PyMongoError, SecretaryError)

# Ids begin with the time they were made at, so that newest first is the order of the ids alone.
_NEWEST = ("_id", DESCENDING)
_CREATED = ("created_at", DESCENDING)

# What a caller may read is a choice between these, so a list without one of them would scan.
_SHARED_WITH = (
    IndexModel([("access_control.visibility", ASCENDING), _NEWEST], name="by_visibility"),
    IndexModel([("access_control.read_access", ASCENDING), _NEWEST], name="by_reader"),
    IndexModel([("access_control.write_access", ASCENDING), _NEWEST], name="by_writer"),
    IndexModel([("access_control.admin_access", ASCENDING), _NEWEST], name="by_admin"),
)

INDEXES: dict[str, list[IndexModel]] = {
    "jobs": [
        IndexModel([("status", ASCENDING), _NEWEST], name="by_status"),
        IndexModel([("job_type", ASCENDING), ("status", ASCENDING), _NEWEST], name="by_type"),
        IndexModel([("user_id", ASCENDING), ("status", ASCENDING), _NEWEST], name="by_user"),
        IndexModel([("batch_id", ASCENDING), ("status", ASCENDING), _NEWEST], name="by_batch"),
        IndexModel([("tags", ASCENDING), ("status", ASCENDING), _NEWEST], name="by_tag"),
        IndexModel([("words", ASCENDING), ("status", ASCENDING), _NEWEST], name="by_word"),
        *_SHARED_WITH,
        IndexModel(
            [("resend_at", ASCENDING)],
            name="resend",
            partialFilterExpression={"status": {"$in": ["pending", "processing"]}},
        ),
        IndexModel(
            [("expires_at", ASCENDING)],
            name="expiry",
            partialFilterExpression={"expires_at": {"$type": "date"}},
        ),
        IndexModel(
            [("outbox.at", ASCENDING)],
            name="outbox",
            partialFilterExpression={"outbox.at": {"$type": "date"}},
        ),
        IndexModel(
            [("error.details.reason", ASCENDING)],
            name="refused",
            partialFilterExpression={"error.code": "URL_NOT_ALLOWED"},
        ),
        IndexModel(
            [("completed_at", ASCENDING), ("status", ASCENDING), ("processing_started_at", ASCENDING)],
            name="by_end",
            sparse=True,
        ),
        IndexModel(
            [("parameters.track", ASCENDING), ("status", ASCENDING)],
            name="by_track",
            partialFilterExpression={"parameters.track": {"$type": "string"}},
        ),
        IndexModel([("cache_prefixes", ASCENDING)], name="by_cache", sparse=True),
        IndexModel(
            [("idempotency.key", ASCENDING)],
            name="idempotency",
            unique=True,
            partialFilterExpression={"idempotency.key": {"$type": "string"}},
        ),
    ],
    "batches": [
        IndexModel([("user_id", ASCENDING), _NEWEST], name="by_user"),
        *_SHARED_WITH,
        IndexModel(
            [("outbox.at", ASCENDING)],
            name="outbox",
            partialFilterExpression={"outbox.at": {"$type": "date"}},
        ),
        IndexModel(
            [("check_at", ASCENDING)], name="open", partialFilterExpression={"check_at": {"$type": "date"}}
        ),
        IndexModel(
            [("idempotency.key", ASCENDING)],
            name="idempotency",
            unique=True,
            partialFilterExpression={"idempotency.key": {"$type": "string"}},
        ),
    ],
    "deliveries": [
        IndexModel([("job_id", ASCENDING), _CREATED, _NEWEST], name="by_job"),
        IndexModel([("batch_id", ASCENDING)], name="by_batch"),
        IndexModel([("event_type", ASCENDING), ("state", ASCENDING)], name="by_result"),
        IndexModel([("resend_at", ASCENDING)], name="resend", partialFilterExpression={"state": "pending"}),
        IndexModel([("expires_at", ASCENDING)], name="expiry", expireAfterSeconds=0),
    ],
    "uploads": [
        IndexModel([("expires_at", ASCENDING)], name="expiry"),
        IndexModel(
            [("idempotency.key", ASCENDING)],
            name="idempotency",
            unique=True,
            partialFilterExpression={"idempotency.key": {"$type": "string"}},
        ),
    ],
    "rate_limits": [IndexModel([("expires_at", ASCENDING)], name="expiry", expireAfterSeconds=0)],
    "api_keys": [IndexModel([_CREATED], name="newest")],
    "messages": [
        IndexModel(
            [("queue", ASCENDING), ("user_id", ASCENDING), ("visible_at", ASCENDING)], name="next_in_queue"
        ),
    ],
}


def connect(options: Mongodb) -> Database[Document]:
    """Acknowledged means on disk on a majority of the replica set: nothing weaker is a yes to a user."""
    client: MongoClient[Document] = MongoClient(
        options.uri.get_secret_value(),
        maxPoolSize=options.max_pool_size,
        connectTimeoutMS=options.connect_timeout_ms,
        serverSelectionTimeoutMS=options.connect_timeout_ms,
        retryWrites=True,
        tz_aware=True,
        appname="secretary",
    )
    durable = WriteConcern(w="majority", j=True)
    return client.get_database(options.db_name, CodecOptions(tz_aware=True), write_concern=durable)


def create_indexes(database: Database[Document]) -> None:
    """Idempotent; run at start-up of the embedded stack and by `secretary migrate` elsewhere."""
    for collection, indexes in INDEXES.items():
        known = database[collection].index_information()
        for index in indexes:
            name, keys = index.document["name"], list(index.document["key"].items())
            if name in known and list(known[name]["key"]) != keys:
                database[collection].drop_index(name)  # of an older version
        database[collection].create_indexes(indexes)
