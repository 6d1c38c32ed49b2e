"""What every S3-compatible store must do for us, byte for byte and URL for URL."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from common.errors import NotFound, Unavailable
from common.objects.store import PART_BYTES, ObjectStore, SignedUrl
from tests.contract.conftest import ObjectBench

TEXT = "text/plain; charset=utf-8"
PATIENCE_SECONDS = 20.0
MANY = 1_001  # one more than a listing or a delete takes at once


@pytest.fixture
def store(object_bench: ObjectBench) -> ObjectStore:
    return object_bench.store


def download_url(store: ObjectStore, key: str = "a.txt") -> SignedUrl:
    return store.sign_download(key, disposition='attachment; filename="a.txt"', media_type=TEXT)


def test_bytes_come_back_as_they_went(store: ObjectStore) -> None:
    data = bytes(range(256)) * 100

    stored = store.put("jobs/1/a.bin", data, "application/octet-stream")

    assert store.get("jobs/1/a.bin") == data
    assert (stored.size, stored.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert store.size("jobs/1/a.bin") == len(data)


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    store.put("empty", b"", TEXT)
    store.put_stream("empty-stream", iter([]), TEXT)

    assert store.get("empty") == store.get("empty-stream") == b""
    assert dict(store.listing("empty")) == {"empty": 0, "empty-stream": 0}


def test_the_second_write_wins(store: ObjectStore) -> None:
    store.put("a", b"first", TEXT)
    store.put("a", b"second", TEXT)

    assert store.get("a") == b"second"


def test_a_write_of_something_new_never_replaces(store: ObjectStore) -> None:
    key = f"new/{secrets.token_hex(8)}"
    stored = store.put_new(key, b"first", "text/plain")
    assert stored is not None and (stored.size, stored.key) == (5, key)
    assert store.put_new(key, b"second", "text/plain") is None
    assert store.get(key) == b"first"


def test_of_many_writes_of_something_new_one_succeeds(store: ObjectStore) -> None:
    key = f"new/{secrets.token_hex(8)}"
    with ThreadPoolExecutor(8) as pool:
        stored = list(pool.map(lambda number: store.put_new(key, b"%d" % number, "text/plain"), range(8)))
    (winner,) = [number for number, one in enumerate(stored) if one is not None]
    assert store.get(key) == b"%d" % winner


@pytest.mark.parametrize(
    "key", ["Grüße/日本 語.txt", "a+b & c=d%20?.txt", "x/.hidden/'q'.txt", "tilde~(1).txt"]
)
def test_any_name_can_be_a_key(store: ObjectStore, key: str) -> None:
    store.put(key, b"here", TEXT)

    assert store.get(key) == b"here"
    assert [name for name, _ in store.listing("")] == [key]
    assert httpx.get(download_url(store, key).url).content == b"here"
    store.delete_prefix(key)
    assert list(store.listing("")) == []


def test_a_stream_larger_than_one_part_arrives_whole(store: ObjectStore) -> None:
    block = bytes(range(251)) * 997
    chunks = [block] * (2 * PART_BYTES // len(block) + 3)
    whole = b"".join(chunks)

    stored = store.put_stream("large", iter(chunks), "application/zip")

    assert stored.size == len(whole) == store.size("large")
    assert stored.sha256 == hashlib.sha256(whole).hexdigest()
    received = list(store.stream("large"))
    assert b"".join(received) == whole
    assert max(map(len, received)) < PART_BYTES, "a download must not gather in memory"


def test_a_file_is_stored(store: ObjectStore, tmp_path: Path) -> None:
    file = tmp_path / "slide.png"
    file.write_bytes(b"\x89PNG" * 1_000)

    assert store.put_file("slide.png", file, "image/png").size == 4_000
    assert store.get("slide.png") == file.read_bytes()


@pytest.mark.parametrize("parts", [0, 2])
def test_a_stream_that_breaks_off_leaves_nothing(store: ObjectStore, parts: int) -> None:
    class SourceBrokeError(Exception):
        pass

    def chunks() -> Iterator[bytes]:
        yield b"x" * (PART_BYTES * parts + 10)
        raise SourceBrokeError

    with pytest.raises(SourceBrokeError):
        store.put_stream("half", chunks(), TEXT)

    assert list(store.listing("half")) == []


def test_what_is_not_there_is_not_found(store: ObjectStore) -> None:
    for look in (store.get, store.size):
        with pytest.raises(NotFound):
            look("nothing/here")
    assert list(store.listing("nothing/")) == []
    store.delete_prefix("nothing/")


def test_listing_and_deleting_take_the_prefix_and_nothing_beside_it(store: ObjectStore) -> None:
    for key in ("jobs/1/a", "jobs/1/deep/b", "jobs/10/c", "jobs/2"):
        store.put(key, key.encode(), TEXT)

    assert dict(store.listing("jobs/1/")) == {"jobs/1/a": 8, "jobs/1/deep/b": 13}
    store.delete_prefix("jobs/1/")

    assert [key for key, _ in store.listing("jobs/")] == ["jobs/10/c", "jobs/2"]


def test_more_objects_than_one_answer_holds_are_listed_and_deleted(store: ObjectStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.put(f"many/{number:05}", b".", TEXT), range(MANY)))

    assert sum(1 for _ in store.listing("many/")) == MANY
    store.delete_prefix("many/")
    assert list(store.listing("many/")) == []


def test_a_signed_download_gives_the_bytes_with_name_and_type(store: ObjectStore) -> None:
    store.put("a.txt", b"hello", "application/octet-stream")

    answer = httpx.get(download_url(store).url)

    assert (answer.status_code, answer.content) == (200, b"hello")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a.txt"'
    assert answer.headers["Content-Type"] == TEXT


def test_a_signed_download_can_be_resumed(store: ObjectStore) -> None:
    store.put("a.txt", b"0123456789", TEXT)

    answer = httpx.get(download_url(store).url, headers={"Range": "bytes=4-"})

    assert (answer.status_code, answer.content) == (206, b"456789")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
def test_a_signed_download_is_bound_to_its_method(store: ObjectStore, method: str) -> None:
    store.put("a.txt", b"hello", TEXT)

    answer = httpx.request(method, download_url(store).url, content=b"changed")

    assert answer.is_client_error
    assert store.get("a.txt") == b"hello"


@pytest.mark.parametrize(
    "tamper",
    [
        lambda url: url.replace("a.txt?", "b.txt?"),
        lambda url: url.replace("attachment", "inline"),
        lambda url: url.replace("X-Amz-Expires=900", "X-Amz-Expires=90000"),
        lambda url: url.replace("X-Amz-Signature=", "X-Amz-Signature=0"),
    ],
    ids=["key", "disposition", "expiry", "signature"],
)
def test_a_changed_url_is_refused(store: ObjectStore, tamper: Callable[[str], str]) -> None:
    for key in ("a.txt", "b.txt"):
        store.put(key, b"secret", TEXT)
    url = download_url(store).url
    assert tamper(url) != url

    answer = httpx.get(tamper(url))

    assert answer.status_code == 403
    assert b"secret" not in answer.content


def test_a_url_expires_and_asking_again_gives_a_fresh_one(object_bench: ObjectBench) -> None:
    hasty = object_bench.other(url_expires_seconds=1)
    hasty.put("a.txt", b"hello", TEXT)
    old = download_url(hasty)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while httpx.get(old.url).status_code != 403:
        assert time.monotonic() < deadline, "the URL outlived its time"
        time.sleep(0.2)

    fresh = download_url(object_bench.store)

    assert httpx.get(fresh.url).content == b"hello"
    assert fresh.url != old.url
    assert fresh.expires_at > old.expires_at


def test_a_signed_upload_takes_what_was_announced(store: ObjectStore) -> None:
    signed = store.sign_upload("uploads/a.pdf", size=5, media_type="application/pdf")

    answer = httpx.put(signed.url, content=b"%PDF-", headers={"Content-Type": "application/pdf"})

    assert answer.status_code == 200
    assert store.get("uploads/a.pdf") == b"%PDF-"


@pytest.mark.parametrize(
    ("content", "media_type"), [(b"%PDF-", "text/html"), (b"%PDF-and-more", "application/pdf")]
)
def test_a_signed_upload_is_bound_to_type_and_size(
    store: ObjectStore, content: bytes, media_type: str
) -> None:
    signed = store.sign_upload("uploads/a.pdf", size=5, media_type="application/pdf")

    answer = httpx.put(signed.url, content=content, headers={"Content-Type": media_type})

    assert answer.status_code == 403
    assert list(store.listing("uploads/")) == []


def test_a_signed_upload_cannot_read(store: ObjectStore) -> None:
    store.put("a.txt", b"secret", TEXT)
    signed = store.sign_upload("a.txt", size=5, media_type=TEXT)

    answer = httpx.get(signed.url, headers={"Content-Type": TEXT})

    assert answer.status_code == 403
    assert b"secret" not in answer.content


def test_a_signed_url_does_not_show_in_logs(store: ObjectStore) -> None:
    assert "X-Amz-Signature" not in repr(download_url(store))


def test_a_page_of_an_allowed_origin_may_load_and_store(store: ObjectStore) -> None:
    store.allow_origins(["https://app.example.org"])
    store.put("a.txt", b"hello", TEXT)
    url = download_url(store).url

    for method in ("GET", "PUT"):
        asked = {"Origin": "https://app.example.org", "Access-Control-Request-Method": method}
        answer = httpx.options(url, headers=asked)
        assert answer.is_success
        assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example.org"

    stranger = {"Origin": "https://evil.example.org", "Access-Control-Request-Method": "GET"}
    assert "Access-Control-Allow-Origin" not in httpx.options(url, headers=stranger).headers


def test_a_bucket_is_made_once(object_bench: ObjectBench) -> None:
    fresh = object_bench.other(bucket=f"{object_bench.settings.objects.bucket}-more", region="eu-central-1")

    assert fresh.create_bucket() is True
    fresh.put("a", b"kept", TEXT)

    assert fresh.create_bucket() is False
    assert fresh.get("a") == b"kept"


def test_a_missing_bucket_is_an_outage_that_names_it(object_bench: ObjectBench) -> None:
    lost = object_bench.other(bucket="no-such-bucket-here")

    with pytest.raises(Unavailable, match="no-such-bucket-here"):
        lost.check()
    with pytest.raises(Unavailable):
        list(lost.listing(""))


# LocalStack checks signed URLs, but asks nobody who they are.
@pytest.mark.parametrize("object_bench", ["seaweedfs"], indirect=True)
def test_without_a_signature_nothing_is_given(store: ObjectStore) -> None:
    store.put("a.txt", b"secret", TEXT)

    answer = httpx.get(download_url(store).url.partition("?")[0])

    assert answer.status_code == 403
    assert b"secret" not in answer.content


@pytest.mark.parametrize("object_bench", ["seaweedfs"], indirect=True)
def test_wrong_credentials_are_an_outage(object_bench: ObjectBench) -> None:
    stranger = object_bench.other(access_key_id="nobody")

    with pytest.raises(Unavailable):
        stranger.put("a", b"x", TEXT)


@pytest.mark.parametrize("fault", ["cut", "be_busy"])
def test_a_store_that_does_not_work_is_unavailable_until_it_does(
    object_bench: ObjectBench, fault: str
) -> None:
    store = object_bench.store
    store.put("a", b"kept", TEXT)
    calls: list[Callable[[], object]] = [
        store.check,
        lambda: store.get("a"),
        lambda: store.put_stream("b", iter([b"x" * (PART_BYTES + 1)]), TEXT),
        lambda: list(store.listing("")),
    ]

    getattr(object_bench.line, fault)()
    for call in calls:
        with pytest.raises(Unavailable):
            call()
    object_bench.line.mend()

    assert store.get("a") == b"kept"
    assert [key for key, _ in store.listing("")] == ["a"]


def test_a_download_that_breaks_off_is_never_taken_for_the_whole(object_bench: ObjectBench) -> None:
    object_bench.store.put_stream("large", iter([b"x" * PART_BYTES] * 4), TEXT)
    chunks = object_bench.store.stream("large")
    next(chunks)

    object_bench.line.cut()

    with pytest.raises(Unavailable):
        list(chunks)
