"""Settings: the file, the environment, what is refused, and that the example shows every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from common.settings import Settings, SettingsError, load_settings

EXAMPLE = Path(__file__).parents[2] / "infra" / "config.example.yaml"


def write(folder: Path, text: str) -> Path:
    file = folder / "config.yaml"
    file.write_text(text, "utf-8")
    return file


def test_the_example_shows_every_setting_with_its_default() -> None:
    shown = {name: set(keys) for name, keys in yaml.safe_load(EXAMPLE.read_text("utf-8")).items()}

    known = {name: set(type(section).model_fields) for name, section in Settings()}
    assert shown == known
    assert load_settings({}, config_file=EXAMPLE) == Settings()


def test_the_example_says_what_every_setting_is_for() -> None:
    keys = [line for line in EXAMPLE.read_text("utf-8").splitlines() if re.match(r"  \w+:", line)]

    assert len(keys) > 60
    assert [line for line in keys if "  # " not in line] == []


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "mongodb: {db_name: from_file, max_pool_size: 7}\n")

    found = load_settings({"MONGODB_DB_NAME": "from_environment"}, config_file=file)

    assert found.mongodb.db_name == "from_environment"
    assert found.mongodb.max_pool_size == 7


@pytest.mark.parametrize("section", ["generic_worker", "event_worker", "session_worker"])
def test_the_worker_section_is_read_under_all_its_names(tmp_path: Path, section: str) -> None:
    file = write(tmp_path, f"{section}: {{max_concurrent: 9, active: false, poll_interval_sec: 1}}\n")

    worker = load_settings({}, config_file=file).generic_worker

    assert (worker.max_concurrent, worker.active, worker.poll_interval_sec) == (9, False, 1.0)


def test_lists_maps_and_nulls_come_from_the_environment() -> None:
    found = load_settings(
        {
            "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8, 10.1.0.0/16",
            "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT_PER_TYPE": "{pdf: 2}",
            "SECRETARY_RETENTION__FAILED_DAYS": "null",
        }
    )

    assert [str(network) for network in found.outbound.allow_networks] == ["127.0.0.0/8", "10.1.0.0/16"]
    assert found.generic_worker.max_concurrent_per_type == {"pdf": 2}
    assert found.retention.failed_days is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mongodb: {urri: x}", "mongodb.urri: unknown setting; known here: uri, db_name"),
        ("mongo: {uri: x}", "mongo: unknown setting; known here: mongodb"),
        ("jobs: {max_attempts: 0}", "jobs.max_attempts: Input should be greater than 0"),
        ("jobs: {max_attempts: many}", "jobs.max_attempts: Input should be a valid integer"),
        ("objects: {url_expires_seconds: 604801}", "objects.url_expires_seconds"),
        (
            "webhooks: {secret_keys: [a key of thirty-two characters or more, short]}",
            "webhooks.secret_keys: expected at least 32 characters each, found 5",
        ),
        ("mongodb: nothing", "mongodb: expected a section with keys"),
        ("[1, 2]", "expected sections with keys, found list"),
        ("a: [", "is not YAML (line 1)"),
        ("a: {}\nb: \x07", "is not YAML"),
    ],
)
def test_what_is_wrong_is_named_with_what_was_expected(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        load_settings({}, config_file=write(tmp_path, text))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SECRETARY_MONGODB__NAME", "mongodb.name: unknown setting"),
        ("SECRETARY_NONSENSE", "expected the form SECRETARY_<SECTION>__<KEY>"),
    ],
)
def test_unknown_names_in_the_environment_are_refused(name: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_settings({name: "x"})


def test_a_map_that_is_not_yaml_is_refused_by_its_name() -> None:
    name = "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT_PER_TYPE"
    with pytest.raises(SettingsError, match=f"{name}: expected a map"):
        load_settings({name: "{pdf: 2"})


@pytest.mark.parametrize(
    "text", ["mongodb: mongodb://user:hunter2@host", "mongodb:\n  uri: mongodb://user:hunter2@host: [\n"]
)
def test_a_file_with_a_mistake_keeps_its_secrets(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        load_settings({}, config_file=write(tmp_path, text))

    assert "hunter2" not in str(refusal.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings({"SECRETARY_CONFIG": str(tmp_path / "none.yaml")})


def test_no_secret_is_shown() -> None:
    hidden = {
        "MONGODB_URI": "mongodb://user:hunter2@host",
        "AWS_SECRET_ACCESS_KEY": "hunter2",
        "OPENAI_API_KEY": "hunter2",
    }

    assert "hunter2" not in repr(load_settings(hidden))
