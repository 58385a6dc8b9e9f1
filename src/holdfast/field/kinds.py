"""Which kinds there are to ask for: a misspelt one would find nothing, and look like an answer.

Those of thoughts, notes, handoffs and tasks are known; a thought's category may be any word, so of another word the
store is asked whether anything has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.errors import UsageError
from holdfast.field.store import Scope
from holdfast.field.thought import DECISION, DISCOVERY, HANDOFF, KINDS, SAID
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from holdfast.field.opening import Field

KNOWN = tuple(dict.fromkeys((*KINDS, *notes.FOLDERS, HANDOFF, DECISION, DISCOVERY, SAID)))


def refuse_unknown(kinds: Sequence[str], opened: Callable[[], AbstractContextManager[Field]]) -> None:
    """Raises UsageError for a kind that nothing is of; the field is opened only where that has to be asked."""
    for kind in kinds:
        if kind not in KNOWN and not _has(kind, opened):
            raise UsageError(
                f'Nothing here is of the kind "{kind[:60]}"; nothing was looked up. There are {", ".join(KNOWN)}, and '
                "the categories that thoughts were given."
            )


def _has(kind: str, opened: Callable[[], AbstractContextManager[Field]]) -> bool:
    from holdfast.field import rebuild

    with opened() as field:
        rebuild.synced(field)
        return field.store.count(Scope(kinds=(kind,))) > 0
