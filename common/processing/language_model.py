"""The language model of the settings: one for text, and perhaps another one for pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from common.outbound.policy import policy_of
from common.processing.transform.endpoint import endpoint_outbound
from common.processing.transform.model import DEFAULT_BASE_URL, TIMEOUT_SECONDS, OpenAiModel
from common.settings import Llm, Settings


class SeeingModel(OpenAiModel):
    """A text model whose pictures are shown to another model at the same address."""

    def __init__(self, *, vision: OpenAiModel, **options: Any) -> None:
        super().__init__(**options)
        self._vision = vision

    @property
    def vision_name(self) -> str:
        return self._vision.name

    def describe(self, *, system: str, user: str, image: bytes, media_type: str) -> str:
        return self._vision.describe(system=system, user=user, image=image, media_type=media_type)

    def usage(self) -> tuple[dict[str, Any], ...]:
        return super().usage() + self._vision.usage()


@contextmanager
def configured_model(settings: Settings) -> Iterator[OpenAiModel | None]:
    """One for each job, since it counts what the job asks of it; None where none is configured."""
    if not settings.llm.is_configured:
        yield None
        return
    outbound = endpoint_outbound(policy_of(settings.outbound), settings.llm.base_url or DEFAULT_BASE_URL)
    with outbound.httpx_client(idle_seconds=TIMEOUT_SECONDS, total_seconds=TIMEOUT_SECONDS) as client:
        yield _model(settings.llm, http_client=client)


def _model(options: Llm, **shared: Any) -> OpenAiModel:
    shared |= {
        "api_key": options.api_key.get_secret_value() if options.api_key else None,
        "base_url": options.base_url,
        "input_characters": options.max_input_chars,
    }
    if options.vision_model in (None, options.model):
        return OpenAiModel(name=options.model, **shared)
    vision = OpenAiModel(name=str(options.vision_model), **shared)
    return SeeingModel(vision=vision, name=options.model, **shared)
