from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def shared_fixtures() -> Path:
    """The folder of real pages, schedules and slides that lies beside (or above) the repository."""
    for parent in REPOSITORY.parents:
        if (folder := parent / "shared" / "fixtures").is_dir():
            return folder
    pytest.skip("no ../shared/fixtures beside this repository")
