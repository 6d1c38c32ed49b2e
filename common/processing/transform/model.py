"""A language model behind an OpenAI-compatible endpoint: asked again when busy, counted when it answers."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

from common.errors import LlmFailed, LlmNotConfigured, SecretaryError
from common.names import log_safe

if TYPE_CHECKING:
    import httpx
    import openai
    from openai.types.chat import ChatCompletion

DEFAULT_BASE_URL = "https://api.openai.com/v1"
ATTEMPTS = 3
TIMEOUT_SECONDS = 180.0
MAX_WAIT_SECONDS = 60.0  # longer waits are the job's own retry
INPUT_CHARACTERS = 60_000
USELESS_ANSWERS = 2  # how often an answer that is no JSON object is asked for again

_FENCE = re.compile(r"^```(?:json)?\s*|\s*```$")


class OpenAiModel:
    """Every call goes through the given HTTP client, so that the outbound guard and its limits apply."""

    def __init__(
        self,
        *,
        name: str,
        api_key: str | None = None,
        base_url: str | None = None,
        http_client: httpx.Client | None = None,
        attempts: int = ATTEMPTS,
        timeout_seconds: float = TIMEOUT_SECONDS,
        input_characters: int = INPUT_CHARACTERS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.input_characters = input_characters
        self._api_key = api_key or "not-needed"  # local servers take any
        self._base_url = base_url or DEFAULT_BASE_URL
        self._http_client = http_client
        self._attempts = attempts
        self._timeout_seconds = timeout_seconds
        self._sleep = sleep
        self._client: openai.OpenAI | None = None
        self._takes_schema = True
        self._usage: list[dict[str, Any]] = []

    @property
    def vision_name(self) -> str:
        """The model that looks at pictures."""
        return self.name

    def complete(self, *, system: str, user: str) -> str:
        return self._ask("complete", _messages(system, user))

    def describe(self, *, system: str, user: str, image: bytes, media_type: str) -> str:
        picture = f"data:{media_type};base64,{base64.b64encode(image).decode('ascii')}"
        content = [{"type": "text", "text": user}, {"type": "image_url", "image_url": {"url": picture}}]
        return self._ask("describe", _messages(system, content))

    def structured(self, *, system: str, user: str, schema: dict[str, Any]) -> dict[str, Any]:
        found = ""
        for _ in range(USELESS_ANSWERS):
            found = self._ask_by_schema(system, user, schema)
            answer = _json_object(found)
            if answer is not None:
                return answer
        raise LlmFailed(f"The model {self.name!r} answered {log_safe(found)!r}; expected a JSON object")

    def usage(self) -> tuple[dict[str, Any], ...]:
        return tuple(self._usage)

    def _ask_by_schema(self, system: str, user: str, schema: dict[str, Any]) -> str:
        """Servers without structured output are given the schema as text, once they said so."""
        if self._takes_schema:
            form = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
            try:
                return self._ask("structured", _messages(system, user), response_format=form)
            except _FormRefused:
                self._takes_schema = False
        form_as_text = f"Answer with one JSON object that follows this schema:\n{json.dumps(schema)}"
        told = f"{system}\n\n{form_as_text}"
        return self._ask("structured", _messages(told, user))

    def _ask(self, purpose: str, messages: list[dict[str, Any]], **options: Any) -> str:
        started = time.monotonic()
        reply = self._with_retries(messages, options)
        if not hasattr(reply, "choices"):  # the SDK hands on whatever is not JSON
            raise LlmFailed(
                f"The model {self.name!r} answered {log_safe(reply)!r}; expected a chat completion"
            )
        self._usage.append(_usage(reply, self.name, purpose, time.monotonic() - started))
        if not reply.choices:
            raise LlmFailed(f"The model {self.name!r} answered without a choice; expected one message")
        choice = reply.choices[0]
        if choice.finish_reason == "length":
            raise LlmFailed(f"The answer of the model {self.name!r} was cut off at its length limit")
        refusal = getattr(choice.message, "refusal", None)
        if refusal:
            raise LlmFailed(f"The model {self.name!r} refused to answer: {log_safe(refusal)}")
        return choice.message.content or ""

    def _with_retries(self, messages: list[dict[str, Any]], options: dict[str, Any]) -> ChatCompletion:
        import openai

        for attempt in range(1, self._attempts + 1):
            try:
                return self._create(messages, options)
            except openai.APIStatusError as error:
                failure = _status_failure(error, self.name, has_form="response_format" in options)
            except openai.APIConnectionError as error:
                failure = _connection_failure(error, self.name)
            except (openai.OpenAIError, ValueError) as error:
                raise LlmFailed(f"The model {self.name!r} answered in an unknown form") from error
            if attempt == self._attempts or not failure.retryable:
                raise failure
            self._sleep(_wait(failure.retry_after, attempt))
        raise LlmFailed(f"The model {self.name!r} was not asked: at least one attempt is needed")

    def _create(self, messages: list[dict[str, Any]], options: dict[str, Any]) -> ChatCompletion:
        if self._client is None:
            import openai

            self._client = openai.OpenAI(
                api_key=self._api_key,
                base_url=self._base_url,
                http_client=cast(Any, self._http_client),  # the SDK takes httpx beside its own kind
                max_retries=0,  # we retry ourselves: with a limit, Retry-After and a count
                timeout=self._timeout_seconds,
            )
        reply: ChatCompletion = self._client.chat.completions.create(
            model=self.name,
            messages=messages,  # type: ignore[arg-type]
            **options,
        )
        return reply


class _FormRefused(LlmFailed):
    """Raised when a server does not know structured output."""

    retryable = False


def _messages(system: str, user: Any) -> list[dict[str, Any]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(_FENCE.sub("", text.strip()))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _usage(reply: ChatCompletion, name: str, purpose: str, seconds: float) -> dict[str, Any]:
    tokens = reply.usage
    return {
        "model": reply.model or name,
        "purpose": purpose,
        "prompt_tokens": tokens.prompt_tokens if tokens else 0,
        "completion_tokens": tokens.completion_tokens if tokens else 0,
        "tokens": tokens.total_tokens if tokens else 0,
        "duration": round(seconds, 3),
    }


def _status_failure(error: openai.APIStatusError, name: str, *, has_form: bool) -> SecretaryError:
    status = error.status_code
    said = log_safe(error.message)
    if status == 429 or status >= 500 or status == 408:
        return LlmFailed(
            f"The model {name!r} answered {status}: {said}", retry_after=_retry_after(error.response.headers)
        )
    if status in (400, 422) and has_form and "response_format" in str(error.body or error.message):
        return _FormRefused(f"The model {name!r} knows no structured output: {said}")
    if status in (401, 403, 404):
        return LlmNotConfigured(
            f"The model {name!r} cannot be used ({status}: {said}); check its name, address and API key"
        )
    return _Refused(f"The model {name!r} refused the request ({status}: {said})")


class _Refused(LlmFailed):
    """Raised when the endpoint says that the request itself is wrong; asking again cannot help."""

    retryable = False


def _connection_failure(error: BaseException, name: str) -> SecretaryError:
    """What our own guard refused is told as such; everything else may pass."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, SecretaryError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return LlmFailed(f"The model {name!r} did not answer: {log_safe(error)}")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date of HTTP."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def _wait(retry_after: float | None, attempt: int) -> float:
    return min(MAX_WAIT_SECONDS, retry_after if retry_after is not None else 2.0 ** (attempt - 1))
