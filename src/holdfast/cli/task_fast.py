"""`holdfast task checkpoint`, `task next` and `task is-done`: the ones that agents and scripts run all the time.

Standard library only. Where the hook has taken a checkpoint from the tool call that runs us, that is said, and nothing
is written twice.
"""

from __future__ import annotations

import time

from holdfast.cli.fast import say
from holdfast.errors import Conflict, NotFound, UsageError, VaultGone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.gate import Where
    from holdfast.tasks.commands import Saved

NOT_DONE = 1
CLAIMED = "--claimed"  # of is-done: what was only seen does not count
LONGEST_STDIN = 1 << 16


def checkpoint(argv: list[str], env: Mapping[str, str]) -> int:
    from holdfast.capture import gate, home, platform

    cwd = platform.working_folder(env)
    vault = home.capture_vault(env, cwd)
    off = home.why_off(env, vault)
    where = gate.here(env, cwd, vault) if not off else None
    if where is None or where.project.off:
        raise UsageError(f"Nothing was written: {off or home.PROJECT_OFF}.")
    piped = platform.read_all(0, LONGEST_STDIN).decode("utf-8", "replace") if "-" in argv else None
    try:
        if vault != home.vault(env, cwd):
            from holdfast.capture import vault_id

            vault_id.refuse(home.vault(env, cwd), env)
        return _checkpoint(argv, piped, env, vault, where)
    except (UsageError, NotFound, Conflict, VaultGone) as error:
        from holdfast.capture import drafts
        from holdfast.tasks import checkpoint_words

        about = (checkpoint_words.submission(argv, piped), where.project.id, where.episode, time.time())
        drafts.refused(home.state(vault), error, drafts.CHECKPOINT, *about, origin=gate.origin_of(where, vault))
        raise


def _checkpoint(argv: list[str], piped: str | None, env: Mapping[str, str], vault: str, where: Where) -> int:
    from holdfast.capture import drafts, flags, gate, home, once
    from holdfast.tasks import checkpoint_words
    from holdfast.tasks import commands as task_memory

    said = checkpoint_words.read(argv)
    said = checkpoint_words.settled(checkpoint_words.with_text(said, piped or "") if said.from_stdin else said)
    changes = flags.prepare(vault)
    state = home.state(vault)
    name = said.name
    heard = once.read(state, where.episode, name) if where.episode else None
    ident, _, kept = (heard or "").partition("\n")
    speaker = flags.Speaker(where.host, where.episode, where.project, gate.origin_of(where, vault), where.is_open)
    try:
        saved = task_memory.checkpoint(vault, said, speaker, time.time, env, ident=ident)
    except OSError as error:
        if not kept:
            raise
        say(f"checkpointed {ident} (the hook had taken it from this call; {error.strerror or error} here)\n")
        return 0
    if heard is not None:
        once.drop(state, where.episode, name)
    if drafts.any_kept(state):
        drafts.submitted(state, drafts.CHECKPOINT, [said.text], where.project.id, where.episode)
    return _answer(saved, said.as_json, changes)


def _answer(saved: Saved, as_json: bool, changes: list[str]) -> int:
    from holdfast.capture import codec

    one, task = saved.entry, saved.task
    notes = [*changes, *saved.notes]
    if as_json:
        told = {"task": task.id, "state": task.state, "entry": one.as_record(), "was_there": saved.was_there}
        say(codec.encode({**told, "notes": notes}).decode("utf-8") + "\n")
        return 0
    how = " (it was there already)" if saved.was_there else ""
    say(f"checkpointed ^{one.id[-6:].lower()} [{one.kind}] in task {task.id}{how}\n")
    for note in notes:
        say(f"note: {note}\n")
    return 0


def next_step(argv: list[str], env: Mapping[str, str]) -> int:
    from holdfast.capture import codec
    from holdfast.tasks import commands

    names, as_json, named = _read(argv, "next")
    if len(names) + bool(named) > 1:
        raise UsageError("One task at a time; nothing was changed. Try: holdfast task next ID.")
    vault, project = _place(env)
    seen = commands.show(vault, named or "".join(names), project, time.time, env)
    step, standing = seen.step(), seen.standing
    if as_json:
        told = {"task": seen.task.id, "state": seen.task.state, "next": step, "unit": standing.next_unit}
        saw = {"done": list(standing.seen), "begun": list(standing.seen_begun)}
        say(codec.encode({**told, "begun": standing.is_begun, "seen": saw}).decode("utf-8") + "\n")
    else:
        say(f"{step}\n" if step else f"There is no next step in task {seen.task.id}: {seen.no_step()}.\n")
    return 0 if step else NOT_DONE


def is_done(argv: list[str], env: Mapping[str, str]) -> int:
    from holdfast.capture import codec
    from holdfast.tasks import commands

    only_said = CLAIMED in argv[: argv.index("--") if "--" in argv else None]
    names, as_json, named = _read([word for word in argv if not (only_said and word == CLAIMED)], "is-done")
    unit = " ".join(names).strip()
    if not unit:
        raise UsageError("There is no unit; nothing was changed. Try: holdfast task is-done files 048-091.")
    vault, project = _place(env)
    found = commands.is_done(vault, unit, named, project, time.time, env)
    is_seen = found.is_seen and not only_said
    if as_json:
        told = {"task": found.task.id, "unit": unit, "done": found.is_said, "seen": found.is_seen}
        say(codec.encode(told).decode("utf-8") + "\n")
    else:
        said = "not done" if found.is_said is False else "not done: nothing was said of it"
        words = "done" if found.is_said else "seen done by the hook, nobody said so" if is_seen else said
        say(f"{unit}: {words}\n")
    return 0 if found.is_said or is_seen else NOT_DONE


def _place(env: Mapping[str, str]) -> tuple[str, str]:
    from holdfast.capture import gate, home, platform

    cwd = platform.working_folder(env)
    vault = home.vault(env, cwd)
    if not home.format_of(vault):
        from holdfast.capture import vault_id

        vault_id.refuse(vault, env)
    return vault, gate.here(env, cwd, vault).project.id


def _read(argv: list[str], command: str) -> tuple[list[str], bool, str]:
    names: list[str] = []
    as_json, named = False, ""
    rest = iter(argv)
    for word in rest:
        if word == "--":
            names += rest
        elif word == "--json":
            as_json = True
        elif word in ("--task", "-t") or word.startswith("--task="):
            named = word.partition("=")[2] if "=" in word else next(rest, "")
            if not named:
                raise UsageError("--task needs an id; nothing was changed.")
        elif word.startswith("-"):
            raise UsageError(f'"{word}" is no option of task {command}; nothing was changed.')
        else:
            names.append(word)
    return names, as_json, named
