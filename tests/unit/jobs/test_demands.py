"""A job that needs a language model is refused where there is none, and only then."""

from __future__ import annotations

import pytest

from common.errors import LlmNotConfigured
from common.jobs.demands import check_demands
from common.settings import load_settings

BARE = load_settings({})
SOURCE = {"url": "https://example.org/a.pdf"}


@pytest.mark.parametrize("method", ["llm", "llm_and_native", "llm_and_ocr"])
def test_a_model_method_without_a_model_is_refused_with_the_way_to_get_one(method: str) -> None:
    with pytest.raises(LlmNotConfigured, match="OPENAI_API_KEY") as caught:
        check_demands(BARE, "pdf", SOURCE | {"extraction_method": method}, where="jobs.3.")
    assert caught.value.http_status == 422
    assert caught.value.message.startswith(f"jobs.3.parameters: {method} needs")


@pytest.mark.parametrize("method", ["native", "auto", "ocr", "both", "preview", "preview_and_native"])
def test_the_other_methods_need_none(method: str) -> None:
    check_demands(BARE, "pdf", SOURCE | {"extraction_method": method})


@pytest.mark.parametrize(
    "environment", [{"OPENAI_API_KEY": "k"}, {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}]
)
def test_a_key_or_an_address_makes_a_model(environment: dict[str, str]) -> None:
    check_demands(load_settings(environment), "pdf", SOURCE | {"extraction_method": "llm"})
