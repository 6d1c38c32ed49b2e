"""The one tree of errors: each knows its code, its HTTP status and whether a retry can help."""

from __future__ import annotations

from typing import Any, ClassVar


class SecretaryError(Exception):
    """Raised when something went wrong that a user can be told about."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, details: dict[str, Any] | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or {}
        self.retry_after = retry_after

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "details": self.details}


class BadRequest(SecretaryError):
    """Raised when a request cannot be read at all: malformed JSON, a wrong content type."""

    code = "BAD_REQUEST"
    http_status = 400


class ValidationFailed(SecretaryError):
    """Raised when a request is well-formed but a field of it is wrong."""

    code = "VALIDATION_FAILED"
    http_status = 422


class UnknownJobType(SecretaryError):
    """Raised when no handler is registered for a job type."""

    code = "UNKNOWN_JOB_TYPE"
    http_status = 422


class Unauthorized(SecretaryError):
    """Raised when the caller did not prove who they are."""

    code = "UNAUTHORIZED"
    http_status = 401


class Forbidden(SecretaryError):
    """Raised when the caller may see a thing but not do this to it."""

    code = "FORBIDDEN"
    http_status = 403


class NotFound(SecretaryError):
    """Raised when a thing does not exist, or does not exist for this caller."""

    code = "NOT_FOUND"
    http_status = 404


class ArchiveNotFound(NotFound):
    """Raised when a job or batch has no archive (yet)."""

    code = "ARCHIVE_NOT_FOUND"


class MethodNotAllowed(SecretaryError):
    """Raised when a path exists, but not for this method."""

    code = "METHOD_NOT_ALLOWED"
    http_status = 405


class Conflict(SecretaryError):
    """Raised when a thing is not in a state that allows what was asked."""

    code = "CONFLICT"
    http_status = 409


class PayloadTooLarge(SecretaryError):
    """Raised when a request body exceeds the limit."""

    code = "PAYLOAD_TOO_LARGE"
    http_status = 413


class TooManyRequests(SecretaryError):
    """Raised when a caller is over its rate or quota."""

    code = "RATE_LIMITED"
    http_status = 429


class Unavailable(SecretaryError):
    """Raised when MongoDB, the object store or the queue does not answer; nothing was accepted."""

    code = "SERVICE_UNAVAILABLE"
    http_status = 503
    retryable = True


class ProcessingError(SecretaryError):
    """Raised when a job's work fails; the subclasses say how."""

    code = "PROCESSING_FAILED"
    http_status = 422  # a route that does such work itself was given something it cannot work on


class DownloadFailed(ProcessingError):
    """Raised when a source does not answer or answers with an error that may pass."""

    code = "DOWNLOAD_FAILED"
    retryable = True


class SourceNotFound(DownloadFailed):
    """Raised when a source answers that it is not there; asking again cannot help."""

    http_status = 422
    retryable = False


class DownloadTooLarge(ProcessingError):
    """Raised when a source is larger than the limit, packed or unpacked."""

    code = "DOWNLOAD_TOO_LARGE"
    http_status = 422


class UrlNotAllowed(ProcessingError):
    """Raised when the outbound guard refuses a URL."""

    code = "URL_NOT_ALLOWED"
    http_status = 422


class UnsupportedFile(ProcessingError):
    """Raised when a file is not what the processor reads, is damaged beyond repair, or over a limit."""

    code = "UNSUPPORTED_FILE"
    http_status = 422


class EncryptedFile(ProcessingError):
    """Raised when a file needs a password."""

    code = "ENCRYPTED_FILE"
    http_status = 422


class ProcessingTimeout(ProcessingError):
    """Raised when a job used up its total time."""

    code = "PROCESSING_TIMEOUT"


class ProcessingStalled(ProcessingError):
    """Raised when a job showed no progress for too long."""

    code = "PROCESSING_STALLED"
    retryable = True


class ProcessorCrashed(ProcessingError):
    """Raised when the process of a job died: a crash, an out-of-memory kill."""

    code = "PROCESSOR_CRASHED"
    retryable = True


class LlmNotConfigured(ProcessingError):
    """Raised when a method needs a language model and none is configured."""

    code = "LLM_NOT_CONFIGURED"
    http_status = 422


class LlmFailed(ProcessingError):
    """Raised when the language model does not answer, or not usefully."""

    code = "LLM_FAILED"
    retryable = True


class TranscriptionFailed(ProcessingError):
    """Raised when a recording cannot be turned into text."""

    code = "TRANSCRIPTION_FAILED"


class TemplateError(ProcessingError):
    """Raised when a template cannot be parsed or names something unknown."""

    code = "TEMPLATE_ERROR"
    http_status = 422


class Cancelled(ProcessingError):
    """Raised inside a processor when its job was cancelled."""

    code = "CANCELLED"
