"""`holdfast flag` and `holdfast snag`: one durable line, synced before the answer, by the standard library only. Where
the hook has taken the same words from the tool call that runs us, that is said, and nothing is written twice.

`holdfast remember`: filed at once, with the user's authority. On the fast path: agents type it amid work.
"""

from __future__ import annotations

import time

from holdfast.cli.fast import say
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.flag_words import Recovered, Words
    from holdfast.capture.gate import Where
    from holdfast.memory import Memory


def flag(command: str, argv: list[str], env: Mapping[str, str]) -> int:
    from holdfast.capture import flag_words, gate, home, platform

    cwd = platform.working_folder(env)
    vault = home.capture_vault(env, cwd)
    off = home.why_off(env, vault)
    if not off:
        where = gate.here(env, cwd, vault)
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
    """A refused text becomes a draft, and the refusal says so."""
    from holdfast.capture import drafts, flag_words, gate, home

    text, evidence = flag_words.submission(command, argv, piped)
    about = (where.project.id, where.episode, time.time())
    origin = gate.origin_of(where, vault)
    drafts.refused(home.state(vault), error, command, text, *about, origin=origin, evidence=evidence)


def _flag(command: str, argv: list[str], piped: str | None, vault: str, where: Where) -> int:
    from holdfast.capture import flag_words, flags, gate, home, once

    words = flag_words.read(command, argv, piped)
    state = home.state(vault)
    if words.nothing:
        return _decline(state, where, words)
    now = time.time()
    ids, is_kept = words.heard(once.read(state, where.episode, words.name) if where.episode else None)
    if ids and (is_kept or flags.are_waiting(state, ids, now)):
        once.drop(state, where.episode, words.name)
        return _answer(words, where, [(ident, words.kind) for ident in ids], by="hook")
    origin = gate.origin_of(where, vault)
    speaker = flags.Speaker(where.host, where.episode, where.project, origin, where.is_open)
    words, raw = _as_written(state, command, words, where)
    taken = flags.take_words(vault, words, speaker, now, ids=ids)
    for draft in (one.draft for one in raw if one.draft):
        from holdfast.capture import drafts

        drafts.settle(state, draft)
    if origin == "user" and where.episode:
        once.add(state, where.episode, once.HEARD, [one.id for one in taken.flags])
    if ids:  # the hook died before it came to keep them
        once.drop(state, where.episode, words.name)
    records = [one.as_record() for one in taken.flags]
    kept = [(one.id, one.kind) for one in taken.flags]
    changes = (*taken.changes, *dict.fromkeys(one.change for one in raw if one.change))
    return _answer(words, where, kept, changes, records=records)


def _as_written(state: str, command: str, words: Words, where: Where) -> tuple[Words, list[Recovered]]:
    """The words that the hook saw before the shell did, where these have come of them."""
    from holdfast.capture import drafts

    if not where.episode or not drafts.any_kept(state):
        return words, []
    from holdfast.capture import flag_words

    raw = flag_words.taken(state, command, words.texts, where.episode)
    evidence = dict.fromkeys((*words.evidence, *(proof for one in raw for proof in one.evidence)))
    return replace(words, texts=tuple(one.text for one in raw), evidence=tuple(evidence)), raw


def _decline(state: str, where: Where, words: Words) -> int:
    """A boundary passed and there is nothing to keep: that is an answer too."""
    from holdfast.capture import codec, flags, once

    asked, heard = "", None
    if where.episode:
        heard = once.read(state, where.episode, words.name)
        once.drop(state, where.episode, words.name)
        speaker = flags.Speaker(where.host, where.episode, where.project, "agent", where.is_open)
        asked = flags.decline(state, speaker, time.time(), is_noted=heard is not None)  # by the hook, which heard it
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


def remember(argv: list[str], env: Mapping[str, str]) -> int:
    """A text that is refused is kept as a draft, unless capture is off."""
    from holdfast.memory import Context, Memory

    memory = Memory(Context.capturing(env))
    said: list[str] = []
    try:
        return _remember(argv, env, memory, said)
    except HoldfastError as error:
        if memory.at.why_off():
            raise
        _keep_draft(error, said or argv, memory)
        raise


def _keep_draft(error: HoldfastError, said: list[str], memory: Memory) -> None:
    from holdfast.capture import drafts, gate

    where = memory.at.where()
    origin = gate.typed_origin(where, memory.at.vault)
    about = (where.project.id, where.episode, memory.at.clock())
    drafts.refused(memory.at.state, error, drafts.REMEMBER, " ".join(said), *about, origin=origin)


def _remember(argv: list[str], env: Mapping[str, str], memory: Memory, said: list[str]) -> int:
    """`said` is filled with what was submitted, once that is known."""
    from holdfast.capture import codec, drafts, flag_words, platform
    from holdfast.vault.edits import Asked, as_flag, can_be_written
    from holdfast.vault.notes import GLOBAL

    text, given, switches = flag_words.of_remember(argv)
    if text == "-":
        text = platform.read_all(0).decode("utf-8", "replace")
    said += [text, *(given[option] for option in ("--reason", "--apply") if option in given)]
    where = memory.at.where()
    (raw,) = flag_words.taken(memory.at.state, drafts.REMEMBER, [text], where.episode)
    text = raw.text
    project = GLOBAL if "--global" in switches or given.get("--kind") == "identity" else memory.at.project().id
    fields: dict[str, Any] = {option[2:]: value for option, value in given.items() if option != "--for"}
    asked = Asked(text=text, project=project, evidence=raw.evidence, **fields)
    if memory.at.is_stand_in() or not can_be_written(memory.at.vault):
        kept = as_flag(memory.at.vault, memory.at.cwd, env, asked, given.get("--for", ""), memory.at.clock())
        why = "the vault is gone; once it is back" if memory.at.is_stand_in() else "notes cannot be written from here"
        if "--json" in switches:
            say(codec.encode({"flagged": [one.as_record() for one in kept]}).decode("utf-8") + "\n")
        for one in kept if "--json" not in switches else ():
            say(f"flagged {one.id} [{one.kind}]: {why}, the next close files it\n")
        return 0
    filed = memory.notes.remember(asked, given.get("--for", ""))
    if raw.draft:
        drafts.settle(memory.at.state, raw.draft)
    drafts.submitted(memory.at.state, drafts.REMEMBER, [text], where.project.id, where.episode)
    if "--json" in switches:
        answer = {"path": filed.path, "commit": filed.commit, "was_there": filed.was_there, "changes": filed.changes}
        say(codec.encode(answer).decode("utf-8") + "\n")
        return 0
    scope = "all projects" if project == GLOBAL else f"project {project}"
    say(f"{'already remembered' if filed.was_there else 'remembered'} in {filed.path}, for {scope}\n")
    for change in (*filed.changes, *([raw.change] if raw.change else [])):
        say(f"note: {change}\n")
    return 0
