"""A person's word on what waits for it, notes and proposals alike: `holdfast review` asks for both in one breath.

An id is looked for among the proposals first, everything else is a note. A snag that waited in quarantine becomes an
edit once it is accepted, as if it had never been tainted: it is the user's word from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.close.improve import applying as improve_apply
from holdfast.close.improve import proposals
from holdfast.vault import reviewing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.gate import Asker
    from holdfast.vault.reviewing import Reviewed


def decide(
    vault: str,
    now: float,
    project: str | None,
    *,
    keep: Sequence[str] = (),
    accept: Sequence[str] = (),
    reject: Sequence[str] = (),
    by: Asker,
) -> list[Reviewed]:
    """Carry out what a person decided. Raises NotFound, UsageError, before anything is written as far as it can."""
    state = home.state(vault)
    mine = {wanted: proposals.find(state, wanted, project) for wanted in (*accept, *reject)}
    yes, no = ([one for one in words if not mine[one]] for words in (accept, reject))
    done = reviewing.decide(vault, now, project, keep=keep, accept=yes, reject=no, by=by)
    for one in done:
        if one.action == "accept":
            improve_apply.learned(vault, one.now_at, now)
    for wanted in dict.fromkeys((*accept, *reject)):
        found = mine[wanted]
        if found:
            carry_out = proposals.accept if wanted in accept else proposals.reject
            done.append(carry_out(vault, state, found.id, now, by=by))
    return done
