"""What an agent remembers on a command line is stamped with where it comes from, by us and not by its author.

A person at a terminal has the user's authority. An agent's words are the agent's, and where outside text has entered
its session they may be that text's: then what would steer waits in quarantine. `--for` names the user's own words that
a note puts properly; they go into its evidence, and are filed with it, unless an outsider could be misquoting them.

A sandbox may let a command write to the queue and not to the notes: there a note becomes a flag, which the next close
files.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import caller, flagging, home, once
from holdfast.capture.flag_words import Words
from holdfast.errors import UsageError
from holdfast.model import KINDS, TRUSTED, Flag
from holdfast.vault.notes import GLOBAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.vault.edits import Asked

AS_FLAGS = {"rule": "rule", "feedback": "preference", "identity": "preference", "project": "decision"}


def can_be_written(vault: str) -> bool:
    """Whether notes can be written from here; a vault that is not there yet can be made."""
    return not os.path.isdir(vault) or os.access(vault, os.W_OK)


def as_flag(vault: str, cwd: str, env: Mapping[str, str], asked: Asked, answers: str, now: float) -> tuple[Flag, ...]:
    """The same words as a flag. Raises UsageError, NotSaved."""
    if asked.policy or asked.supersedes or asked.project == GLOBAL:
        raise UsageError(
            "Notes cannot be written from here, and a flag has no policy, replaces no note and belongs to one project; "
            "nothing was written. Leave those options out, or let the user run it."
        )
    where = caller.here(env, cwd, vault)
    speaker = flagging.Speaker(where.host, where.episode, where.project, caller.origin(where, vault), where.is_open)
    kind = asked.kind if asked.kind in KINDS else AS_FLAGS.get(asked.kind, "fact")
    more = "".join(f" ({what}: {said})" for what, said in (("why", asked.reason), ("how", asked.apply)) if said)
    words = Words((f"{asked.text}{more}",), kind, answers=answers)
    return flagging.take_words(vault, words, speaker, now).flags


@contextmanager
def as_said_here(
    vault: str, cwd: str, env: Mapping[str, str], asked: Asked, answers: str, now: float
) -> Iterator[Asked]:
    """The note as it is to be filed; once it is, the session has answered. Raises UsageError."""
    state = home.state(vault)
    where = caller.here(env, cwd, vault)
    origin = caller.typed_origin(where, vault)
    made = replace(asked, origin=origin, here=where.project.id, session=where.episode)
    if answers:
        meant = flagging.answered_words(state, where.episode, answers, now)
        made = replace(made, evidence=tuple(f'the user: "{words}"' for _, words in meant))
        if origin in TRUSTED:
            made = replace(made, origin="user", sources=tuple(ident for ident, _ in meant))
    else:
        meant = []
    yield made
    if where.episode:
        once.answered(state, where.episode, now, [ident for ident, _ in meant])
