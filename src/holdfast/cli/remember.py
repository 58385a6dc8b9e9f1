"""`holdfast remember`: filed at once, with the user's authority. On the fast path: agents type it amid work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture.flag_words import OF_REMEMBER
from holdfast.cli.fast import say
from holdfast.errors import HoldfastError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.memory import Memory


def remember(argv: list[str], env: Mapping[str, str]) -> int:
    """A text that is refused is kept as a draft, unless capture is off."""
    from holdfast.memory import Memory

    memory = Memory.capturing(env)
    said: list[str] = []
    try:
        return _remember(argv, env, memory, said)
    except HoldfastError as error:
        if memory.why_off():
            raise
        _keep(error, said or argv, env, memory)
        raise


def _keep(error: HoldfastError, said: list[str], env: Mapping[str, str], memory: Memory) -> None:
    from holdfast.capture import caller, drafts

    where = caller.here(env, memory.cwd, memory.vault)
    origin = caller.typed_origin(where, memory.vault)
    about = (where.project.id, where.episode, memory.clock())
    drafts.refused(memory.state, error, drafts.REMEMBER, " ".join(said), *about, origin=origin)


def _remember(argv: list[str], env: Mapping[str, str], memory: Memory, said: list[str]) -> int:
    """`said` is filled with what was submitted, once that is known."""
    from holdfast.capture import caller, codec, drafts, raw_words
    from holdfast.vault.edits import Asked
    from holdfast.vault.notes import GLOBAL
    from holdfast.vault.stamping import as_flag, as_said_here, can_be_written

    text, given, switches = _arguments(argv)
    if text == "-":
        text = _stdin()
    said += [text, *(given[option] for option in ("--reason", "--apply") if option in given)]
    where = caller.here(env, memory.cwd, memory.vault)
    (raw,) = raw_words.taken(memory.state, drafts.REMEMBER, [text], where.episode)
    text = raw.text
    project = GLOBAL if "--global" in switches or given.get("--kind") == "identity" else memory.project().id
    fields: dict[str, Any] = {option[2:]: value for option, value in given.items() if option != "--for"}
    asked = Asked(text=text, project=project, evidence=raw.evidence, **fields)
    if memory.is_stand_in() or not can_be_written(memory.vault):
        kept = as_flag(memory.vault, memory.cwd, env, asked, given.get("--for", ""), memory.clock())
        why = "the vault is gone; once it is back" if memory.is_stand_in() else "notes cannot be written from here"
        if "--json" in switches:
            say(codec.encode({"flagged": [one.as_record() for one in kept]}).decode("utf-8") + "\n")
        for one in kept if "--json" not in switches else ():
            say(f"flagged {one.id} [{one.kind}]: {why}, the next close files it\n")
        return 0
    with as_said_here(memory.vault, memory.cwd, env, asked, given.get("--for", ""), memory.clock()) as asked:
        filed = memory.remember(asked)
    if raw.draft:
        drafts.settle(memory.state, raw.draft)
    drafts.submitted(memory.state, drafts.REMEMBER, [text], where.project.id, where.episode)
    if "--json" in switches:
        answer = {"path": filed.path, "commit": filed.commit, "was_there": filed.was_there, "changes": filed.changes}
        say(codec.encode(answer).decode("utf-8") + "\n")
        return 0
    scope = "all projects" if project == GLOBAL else f"project {project}"
    say(f"{'already remembered' if filed.was_there else 'remembered'} in {filed.path}, for {scope}\n")
    for change in (*filed.changes, *([raw.change] if raw.change else [])):
        say(f"note: {change}\n")
    return 0


def _stdin() -> str:
    """All that is piped to us, as text."""
    from holdfast.capture import platform

    return platform.read_all(0).decode("utf-8", "replace")


def _arguments(argv: list[str]) -> tuple[str, dict[str, str], set[str]]:
    texts: list[str] = []
    given: dict[str, str] = {}
    switches: set[str] = set()
    rest = iter(argv)
    for word in rest:
        option, equals, value = word.partition("=")
        if word == "--":
            texts += rest
        elif word in ("--global", "--json"):
            switches.add(word)
        elif option in OF_REMEMBER:
            found = value if equals else next(rest, None)
            if found is None:
                raise UsageError(f"{option} needs a value; nothing was written.")
            given[option] = found
        elif word.startswith("-") and " " not in word and word[1:2] not in "0123456789.":
            raise UsageError(f'"{word}" is no option of remember; nothing was written. Put -- before such a text.')
        else:
            texts.append(word)
    if not " ".join(texts).strip():
        raise UsageError('There is no text; nothing was written. Try: holdfast remember "what to remember".')
    return " ".join(texts), given, switches
