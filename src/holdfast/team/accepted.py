"""Thoughts of others that this machine's user accepted: from then on their own origin counts here.

A record names the text too: once its author says something else under the same id, that is accepted no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import codec, home, log, platform
from holdfast.capture.ids import digest

if TYPE_CHECKING:
    from holdfast.field.thought import Thought


def path_of(vault: str) -> str:
    return f"{home.state(vault)}/team/accepted"


def fingerprint(one: Thought) -> str:
    return digest("\n".join((one.title, one.text, one.context, one.origin)), 32)


def load(vault: str) -> dict[str, str]:
    """The fingerprint of each accepted thought, by its id."""
    return {str(one["id"]): str(one.get("text", "")) for one in codec.logged(path_of(vault)) if "id" in one}


def accept(vault: str, one: Thought, now: float) -> None:
    """Durably. Raises NotSaved."""
    platform.make_folders(path_of(vault).rpartition("/")[0])
    record = {"v": 1, "t": now, "id": one.id, "text": fingerprint(one)}
    log.append(path_of(vault), [codec.encode(record)], durable=True)
