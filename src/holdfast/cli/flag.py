"""`holdfast flag` and `holdfast snag`: one durable line, synced before the answer. Standard library only.

Where the hook has taken the same words from the tool call that runs us, that is said, and nothing is written twice.
"""

from __future__ import annotations

import time

from holdfast.cli.fast import say
from holdfast.errors import UsageError
from holdfast.model import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.caller import Where
    from holdfast.capture.flag_words import Words
    from holdfast.capture.raw_words import Taken


def flag(command: str, argv: list[str], env: Mapping[str, str]) -> int:
    from holdfast.capture import caller, flag_words, home, platform

    cwd = platform.working_folder(env)
    vault = home.capture_vault(env, cwd)
    off = home.why_off(env, vault)
    if not off:
        where = caller.here(env, cwd, vault)
        off = home.PROJECT_OFF if where.project.off else ""
    if off:
        raise UsageError(f"Nothing was written: {off}.")
    piped = platform.read_all(0).decode("utf-8", "replace") if flag_words.wants_pipe(argv) else None
    try:
        return _flag(command, argv, piped, vault, where)
    except UsageError as error:
        _keep(error, command, argv, piped, vault, where)
        raise


def _keep(error: UsageError, command: str, argv: list[str], piped: str | None, vault: str, where: Where) -> None:
    """What is refused is a draft, and the refusal says so."""
    from holdfast.capture import caller, drafts, flag_words, home

    text, evidence = flag_words.submission(command, argv, piped)
    about = (where.project.id, where.episode, time.time())
    origin = caller.origin(where, vault)
    drafts.refused(home.state(vault), error, command, text, *about, origin=origin, evidence=evidence)


def _flag(command: str, argv: list[str], piped: str | None, vault: str, where: Where) -> int:
    from holdfast.capture import caller, flag_words, flagging, home, once

    words = flag_words.read(command, argv, piped)
    state = home.state(vault)
    if words.nothing:
        return _decline(state, where, words)
    now = time.time()
    ids, is_kept = words.heard(once.read(state, where.episode, words.name) if where.episode else None)
    if ids and (is_kept or flagging.are_waiting(state, ids, now)):
        once.drop(state, where.episode, words.name)
        return _answer(words, where, [(ident, words.kind) for ident in ids], by="hook")
    origin = caller.origin(where, vault)
    speaker = flagging.Speaker(where.host, where.episode, where.project, origin, where.is_open)
    words, raw = _as_written(state, command, words, where)
    taken = flagging.take_words(vault, words, speaker, now, ids=ids)
    _settle(state, raw)
    if origin == "user" and where.episode:
        once.add(state, where.episode, once.HEARD, [one.id for one in taken.flags])
    if ids:  # the hook died before it came to keep them
        once.drop(state, where.episode, words.name)
    records = [one.as_record() for one in taken.flags]
    kept = [(one.id, one.kind) for one in taken.flags]
    changes = (*taken.changes, *dict.fromkeys(one.change for one in raw if one.change))
    return _answer(words, where, kept, changes, records=records)


def _as_written(state: str, command: str, words: Words, where: Where) -> tuple[Words, list[Taken]]:
    """The words that the hook saw before the shell did, where these have come of them."""
    from holdfast.capture import drafts

    if not where.episode or not drafts.any_kept(state):
        return words, []
    from holdfast.capture import raw_words

    raw = raw_words.taken(state, command, words.texts, where.episode)
    evidence = dict.fromkeys((*words.evidence, *(proof for one in raw for proof in one.evidence)))
    return replace(words, texts=tuple(one.text for one in raw), evidence=tuple(evidence)), raw


def _settle(state: str, raw: list[Taken]) -> None:
    from holdfast.capture import drafts

    for one in raw:
        if one.draft:
            drafts.settle(state, one.draft)


def _decline(state: str, where: Where, words: Words) -> int:
    """A boundary passed and there is nothing to keep: that is an answer too."""
    from holdfast.capture import codec, flagging, once

    asked, heard = "", None
    if where.episode:
        heard = once.read(state, where.episode, words.name)
        once.drop(state, where.episode, words.name)
        speaker = flagging.Speaker(where.host, where.episode, where.project, "agent", where.is_open)
        asked = flagging.decline(state, speaker, time.time(), is_noted=heard is not None)  # by the hook, which heard it
    if words.as_json:
        say(codec.encode({"saved": [], "declined": asked or heard or ""}).decode("utf-8") + "\n")
    else:
        say("Nothing to flag; noted.\n")
    return 0


def _answer(
    words: Words,
    where: Where,
    kept: list[tuple[str, str]],
    changes: tuple[str, ...] = (),
    *,
    by: str = "command",
    records: list[dict[str, object]] | None = None,
) -> int:
    from holdfast.capture import codec

    if words.as_json:
        saved = records if records is not None else [{"id": ident, "kind": kind} for ident, kind in kept]
        say(codec.encode({"saved": saved, "changes": list(changes), "by": by}).decode("utf-8") + "\n")
        return 0
    session = f", session {where.episode}" if where.episode else ""
    how = " (the hook had taken it from this call before it ran)" if by == "hook" else ""
    for ident, kind in kept:
        say(f"flagged {ident} [{kind}] in project {where.project.id}{session}{how}\n")
    for change in changes:
        say(f"note: {change}\n")
    return 0
