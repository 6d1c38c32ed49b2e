"""What goes wrong with the embedded stack."""

from __future__ import annotations

from common.client.words import say
from common.errors import SecretaryError


class StackError(SecretaryError):
    """Raised when the embedded stack cannot start or stop; says why and what to do."""

    code = "STACK_ERROR"


def missing(program: str, *, variable: str) -> StackError:
    return StackError(say("no_program", program=program, variable=variable))
