"""Forget: a thought that is nobody's note is withdrawn by a further record, and from then on nothing finds it.

Promise: when `withdraw` returns, the word is on disk beside the thought (field/records), and a sync takes it to other
machines. Recall, highways and whoever looks for what says the same no longer know the thought; said again it is a new
one. The log keeps what was said: only a purge takes that out (vault/purge). Which thoughts are meant is read from the
logs, not from the index: one that is damaged or behind must not hide what somebody wants gone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.capture.flags import clean
from holdfast.errors import Busy
from holdfast.field import indexing, records
from holdfast.field.store import Damaged
from holdfast.field.thought import WITHDRAWN, joined, withdrawal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.opening import Field
    from holdfast.field.store import Scope
    from holdfast.field.thought import Thought

PATIENCE = 1.0


def meant(vault: str, wanted: str, scope: Scope, *, withdrawn: bool = False) -> list[Thought]:
    """The one thought of this id, withdrawn or not, else those that have all the words; with `withdrawn` also those
    that were withdrawn before, which a purge is asked for. The oldest first."""
    mine = {ident: one for ident, one in logged(vault).items() if scope.has(one)}
    asked = clean(wanted)[0]
    if asked in mine:
        return [mine[asked]]
    words = asked.casefold().split()
    said = [one for one in mine.values() if withdrawn or not one.superseded_by]
    found = [one for one in said if words and all(word in _text(one) for word in words)]
    return sorted(found, key=lambda one: (one.created, one.id))


def _text(one: Thought) -> str:
    return f"{one.text} {one.context}".casefold()


def logged(vault: str) -> dict[str, Thought]:
    """Every thought of the logs by its id, with what all its records say; `superseded_by` tells the withdrawn ones."""
    found: dict[str, Thought] = {}
    withdrawn: set[str] = set()
    for path, _ in records.logs(vault):
        try:
            read = records.read(vault, path).found
        except OSError:
            continue  # taken away by a sync at this moment
        for one in read:
            if one.is_withdrawal:
                withdrawn.add(one.id)
            else:
                found[one.id] = joined(found[one.id], one) if one.id in found else one
    for ident in withdrawn & found.keys():
        found[ident] = replace(found[ident], superseded_by=WITHDRAWN)
    return found


def withdraw(field: Field, ids: Sequence[str]) -> tuple[str, ...]:
    """Withdraw some thoughts of the logs; which of them were not before. Raises NotSaved: then none of them is."""
    home.refuse_newer(field.vault)
    known = logged(field.vault)
    new = tuple(one for one in dict.fromkeys(ids) if one in known and not known[one].superseded_by)
    if new:
        now = field.clock()
        records.append(field.vault, [withdrawal(one, now) for one in new], now)
    with suppress(Busy, Damaged):  # what counts is on disk: the next question takes it in
        indexing.sync(field, patience=PATIENCE)
    return new
