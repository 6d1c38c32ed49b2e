"""The object store: answers that no well-behaved server gives at will."""

from __future__ import annotations

import pytest

from common.errors import Unavailable
from common.objects.store import ObjectStore
from common.settings import load_settings
from tests.unit.outbound.loopback import Exchange, Loopback

LISTED = b"""<ListBucketResult><IsTruncated>false</IsTruncated>
<Contents><Key>jobs/1/a.md</Key><Size>1</Size></Contents>
<Contents><Key>jobs/1/b.md</Key><Size>1</Size></Contents></ListBucketResult>"""
ONE_LEFT = b"""<DeleteResult>
<Error><Key>jobs/1/b.md</Key><Code>SlowDown</Code><Message>later</Message></Error></DeleteResult>"""


def half_deleting(exchange: Exchange) -> None:
    exchange.reply(200, {"Content-Type": "application/xml"}, LISTED if exchange.method == "GET" else ONE_LEFT)


def test_objects_that_were_not_deleted_are_told() -> None:
    """DeleteObjects answers 200 even then."""
    with Loopback(routes={"/b": half_deleting}) as server:
        store = ObjectStore(
            load_settings(
                {
                    "S3_ENDPOINT_URL": server.url(""),
                    "S3_BUCKET": "b",
                    "AWS_ACCESS_KEY_ID": "x",
                    "AWS_SECRET_ACCESS_KEY": "x",
                }
            ).objects
        )
        with pytest.raises(Unavailable, match="1 objects: SlowDown"):
            store.delete_prefix("jobs/1/")
