"""What went wrong, as a status and {"error": code, "message": sentence}. Never a traceback, never a path of elsewhere.

Sentences are those of holdfast/errors; an error of the system is told without the file it was about.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast import errors
from holdfast.field.embed.seam import NoVectors
from holdfast.field.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Mapping


class Denied(errors.UsageError):
    """This token may not ask that; nothing was shown. A token made with --all may."""

    code = "denied"


class Off(errors.UsageError):
    """Capture is switched off here; nothing was written."""

    code = "off"


STATUSES: tuple[tuple[type[errors.HoldfastError], int], ...] = (  # the first that fits
    (Denied, 403),
    (Off, 409),
    (Damaged, 503),
    (errors.NotFound, 404),
    (errors.UsageError, 422),
    (errors.Unfit, 422),
    (errors.Conflict, 409),
    (errors.Busy, 503),
    (errors.NotSaved, 507),
    (errors.GitFailed, 503),
    (errors.NewerFormat, 503),
    (errors.JudgeFailed, 502),
    (NoVectors, 502),
    (errors.Unsupported, 501),
)
SAID = {
    400: ("malformed", "The request cannot be read; nothing was done. Send JSON in UTF-8."),
    404: ("not-found", "There is no such thing here; nothing was changed."),
    405: ("method", "This route takes another method; nothing was done. The header Allow says which."),
    500: ("internal", "Something went wrong in holdfast; nothing that was acknowledged is lost. Its log says what."),
}


def status_of(error: errors.HoldfastError) -> int:
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def told(error: BaseException) -> tuple[int, str, str]:
    """The status, the code and the sentence of any error."""
    if isinstance(error, errors.HoldfastError):
        return status_of(error), error.code, str(error)
    if isinstance(error, OSError):
        why = error.strerror or "the system refused"
        return 503, "system", f"{why}; nothing that was saved is lost. Try again."
    return 500, *SAID[500]


def body(code: str, message: str) -> bytes:
    return json.dumps({"error": code, "message": message}, ensure_ascii=False).encode("utf-8", "replace")


def sentence_of(found: list[Any]) -> tuple[int, str, str]:
    """What a check of the request's shape found, without repeating what was sent."""
    if any(one.get("type") == "json_invalid" for one in found):
        return 400, *SAID[400]
    where = ".".join(str(part) for part in found[0].get("loc", ()) if part not in ("body", "query", "path"))
    said = str(found[0].get("msg", "it cannot be accepted"))
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    return 422, "invalid", f"{where[:80] or 'The request'}: {said}{more}; nothing was done. /openapi.json says more."


def of_status(status: int, headers: Mapping[str, str] | None) -> tuple[int, str, str, dict[str, str]]:
    """What the framework itself refuses."""
    code, message = SAID.get(status, SAID[400])
    return status, code, message, dict(headers or {})
