"""What a job needs of this installation, checked on submit: nobody waits for a job that cannot work."""

from __future__ import annotations

from typing import Any

from common.errors import LlmNotConfigured
from common.processing.registry import job_type
from common.processing.transform.messages import message
from common.settings import Settings


def check_demands(settings: Settings, name: str, parameters: dict[str, Any], *, where: str = "") -> None:
    """`where` is the place of a batch's member, such as `jobs.3.`."""
    wanted = job_type(name).model().model_validate(parameters)
    if wanted.needs_language_model() and not settings.llm.is_configured:
        method = parameters.get("extraction_method", name)
        text = message("model_needed", "en", method=method)
        raise LlmNotConfigured(f"{where}parameters: {text}", details={"field": f"{where}parameters"})
