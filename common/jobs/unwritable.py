"""Results that MongoDB cannot hold: too large, too deep, numbers or texts that it does not know."""

from __future__ import annotations

from bson.errors import BSONError
from pymongo.errors import BulkWriteError, OperationFailure

from common.errors import ProcessingError

TOO_DEEP, TOO_LARGE = 15, 10334  # codes of MongoDB
UNENCODABLE = (BSONError, OverflowError, UnicodeEncodeError)
UNWRITABLE = (*UNENCODABLE, OperationFailure)


def cannot_be_stored(error: Exception) -> bool:
    """Whether trying again is in vain: not the database is at fault, but what it was given."""
    if not isinstance(error, OperationFailure):
        return isinstance(error, UNWRITABLE)
    found = {error.code}
    if isinstance(error, BulkWriteError):
        found |= {refused["code"] for refused in error.details["writeErrors"]}
    return bool(found & {TOO_DEEP, TOO_LARGE})


def not_stored(error: Exception) -> ProcessingError:
    """What the user is told; the words of the database may hold the result itself."""
    return ProcessingError(
        "The result cannot be stored: expected at most 16 MB, numbers of 64 bits, valid text and less than"
        f" 200 levels, found what MongoDB refuses ({type(error).__name__})."
    )
