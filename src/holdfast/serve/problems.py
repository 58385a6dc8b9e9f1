"""Failures as a status and {"error": code, "message": sentence}. Never a traceback, never a path of elsewhere.

Sentences are those of holdfast/errors; an error of the system is told without the file it was about.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from holdfast import errors
from holdfast.field.embedders import NoVectors
from holdfast.field.postgres import connection
from holdfast.field.store import Damaged
from holdfast.page.errors import Elsewhere, LookOnly, SignedOut
from holdfast.serve import shapes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping

    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Denied(errors.UsageError):
    """This token may not ask that; nothing was shown. A token made with --all may."""

    code = "denied"


class Off(errors.UsageError):
    """Capture is switched off here; nothing was written."""

    code = "off"


class NoVault(errors.UsageError):
    """This server has a team's field and no vault; nothing was done. Notes, sessions, tasks, flags and closes are on
    the machines of its people: ask `holdfast serve` there."""

    code = "no-vault"


class NoTeam(errors.UsageError):
    """Only a team's server takes an id; nothing was written. Send the thought without one."""

    code = "no-team"


STATUSES: tuple[tuple[type[errors.HoldfastError], int], ...] = (  # the first that fits
    (Denied, 403),
    (SignedOut, 401),
    (LookOnly, 403),
    (Elsewhere, 403),
    (Off, 409),
    (NoVault, 501),
    (NoTeam, 409),
    (connection.Refused, 403),
    (Damaged, 503),
    (errors.NotFound, 404),
    (errors.UsageError, 422),
    (errors.Unfit, 422),
    (errors.Conflict, 409),
    (errors.Busy, 503),
    (errors.NotSaved, 507),
    (errors.GitFailed, 503),
    (errors.Unwritable, 503),
    (errors.NewerFormat, 503),
    (errors.VaultGone, 503),
    (errors.JudgeFailed, 502),
    (NoVectors, 502),
    (errors.Unsupported, 501),
)
UNKNOWN = "extra_forbidden"  # pydantic's word for a field that a shape has not
SHAPES = (shapes.Original.__name__, shapes.Derived.__name__)  # of one body
MOST_NAMED = 10
EMPTY = "It should have a letter, a digit or another sign that says something"
SAFE = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
SAID = {
    400: ("malformed", "The request cannot be read; nothing was done. Send JSON in UTF-8."),
    404: ("not-found", "There is no such thing here; nothing was changed."),
    405: ("method", "This route takes another method; nothing was done. The header Allow says which."),
    415: ("not-json", "The body has to be application/json; nothing was done."),
    500: ("internal", "Something went wrong in holdfast; nothing that was acknowledged is lost. Its log says what."),
    503: ("busy", "More requests are under way than are answered at once; nothing was done. Send it again."),
}


def told(error: BaseException, vault: str = "") -> tuple[int, str, str]:
    """The status, the code and the sentence of any error, which does not say where the vault is."""
    if isinstance(error, errors.HoldfastError):
        status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
        return status, error.code, without(vault, str(error))
    if isinstance(error, OSError):
        why = error.strerror or "the system refused"
        return 503, "system", f"{why}; nothing that was saved is lost. Try again."
    return 500, *SAID[500]


def without(vault: str, sentence: str) -> str:
    """A sentence for whoever asks over HTTP: where the vault lies is the operator's to know."""
    if not vault:
        return sentence
    bare = sentence.replace(vault + os.sep, "").replace(vault, "the vault")
    return bare[:1].upper() + bare[1:] if sentence.startswith(vault) else bare


def body(code: str, message: str) -> bytes:
    return json.dumps({"error": code, "message": message}, ensure_ascii=False).encode("utf-8", "replace")


async def send(
    out: Send, status: int, code: str, message: str, more: Iterable[tuple[bytes, bytes]] = (), *, close: bool = False
) -> None:
    """The whole answer, where no framework does it."""
    data = body(code, message)
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(data)), *more]
    head += [(b"connection", b"close")] if close else []
    await out({"type": "http.response.start", "status": status, "headers": head})
    await out({"type": "http.response.body", "body": data})


def sentence_of(found: list[Any]) -> tuple[int, str, str]:
    """The flaws of a request's shape in a sentence, without repeating what was sent but for the names of fields."""
    if any(one.get("type") == "json_invalid" for one in found):
        return 400, *SAID[400]
    meant = _meant(found)
    unknown = [_named(one) for one in meant if one.get("type") == UNKNOWN]
    first, *others = [one for one in meant if one.get("type") != UNKNOWN] or [None]
    parts = [f"{_listed(unknown)}: not known here"] if unknown else []
    if first:
        more = f" (and {_listed([_named(one) for one in others])})" if others else ""
        parts.append(f"{_named(first)}: {_why(first)}{more}")
    return 422, "invalid", f"{'; '.join(parts)}; nothing was done. /openapi.json says more."


def _meant(found: list[Any]) -> list[Any]:
    """Of a body that has two shapes the problems with the one that was meant: whose kind it has, else what it has
    fewer with. The first part of a place says in which part of the request, the second which shape."""
    by_shape: dict[str, list[Any]] = {}
    for one in found:
        by_shape.setdefault(_shape(one), []).append(one)
    return min(by_shape.values(), key=lambda some: (any(_named(one) == "kind" for one in some), len(some)))


def _shape(one: Mapping[str, Any]) -> str:
    return next((str(part) for part in (one.get("loc") or ())[1:2] if part in SHAPES), "")


def _named(one: Mapping[str, Any]) -> str:
    place = [str(part) for part in (one.get("loc") or ())[1:]]
    return ".".join(place[1:] if _shape(one) else place)[:80] or "The request"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _why(one: Mapping[str, Any]) -> str:
    is_empty = one.get("ctx", {}).get("pattern") == shapes.SAYS
    return EMPTY if is_empty else str(one.get("msg", "it cannot be accepted"))


def of_status(status: int, headers: Mapping[str, str] | None) -> tuple[int, str, str, dict[str, str]]:
    """A refusal of the framework itself."""
    code, message = SAID.get(status, SAID[400])
    return status, code, message, dict(headers or {})
