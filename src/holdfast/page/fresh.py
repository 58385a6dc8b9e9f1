"""A part that follows what happens is sent again only where it would show something else.

A tab asks for its parts whenever something was recorded, and mostly nothing of what it shows has changed: a part that
stays keeps the reader's place in it, what they have unfolded, and the button that they are about to press.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from holdfast.page import frame

if TYPE_CHECKING:
    from fastapi import Response

    from holdfast.page.visit import Visit


def part(visit: Visit, template: str, known: str, seen: object, **values: Any) -> Response:
    """A template, with `digest` for the next time; nothing where the tab has shown just this."""
    digest = digest_of(seen)
    if known == digest:
        return frame.answer("", 204)
    return visit.show(template, digest=digest, **values)


def digest_of(seen: object) -> str:
    """A digest that tells two values apart, made of plain values and dataclasses."""
    return hashlib.sha256(repr(seen).encode("utf-8", "backslashreplace")).hexdigest()[:16]
