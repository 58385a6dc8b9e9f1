"""The commands that agents and scripts type often, read by hand: `flag`, `snag`, `remember`, `task checkpoint`, `task
next`, `task is-done`, `hook`, `pause`, `resume`; and their help, word for word as it is printed.

They run as `python -I -S` and end without the interpreter's tidying up. All but `remember`, which needs the vault
room, import the standard library only. holdfast.cli.app lists them so that `--help` is complete.
"""

from __future__ import annotations

import posix
import time

from holdfast.errors import HoldfastError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Command = Callable[[list[str], Mapping[str, str], int], int]

FLAG = """Usage: holdfast flag [OPTIONS] TEXT...

  Save one durable fact per TEXT, synced to disk before the answer. `-` reads them from stdin, one per line:
  holdfast flag - <<'END' is safe for backticks, $ and quotes; in double quotes a shell eats them.

Options:
  --kind KIND          decision, rule, lesson, preference, fact (default), progress, snag, user-request
  --evidence EVIDENCE  file:line, commit, quote or URL; may be repeated
  --for ID             this puts the user's own words properly, which are kept under ID
  --nothing            there is nothing durable to flag; takes no TEXT
  --json               answer as JSON
  --help               show this
"""
HOOK = """Usage: holdfast hook HOST < PAYLOAD

  Run the hook as HOST (claude-code, codex, generic) would: its JSON on stdin, its reply on stdout, status 0.
"""
PAUSE = """Usage: holdfast pause

  Capture nothing on this machine until `holdfast resume`. What is in the queue stays there.
"""
REMEMBER = """Usage: holdfast remember [OPTIONS] TEXT...

  File a text as a note at once, with your authority, and say where. `-` reads it from stdin.

Options:
  --kind KIND      knowledge (default), rule, feedback, identity, project; or a kind of flag, such as lesson
  --name NAME      its name; else the beginning of the text
  --reason TEXT    why; a correction without its reason is soon overruled
  --apply TEXT     how to apply it
  --policy POLICY  of a rule: do, ask or never
  --supersedes NOTE  the note that this one replaces; it is kept, and no longer loaded
  --for ID         this puts the user's own words properly, which are kept under ID
  --global         for all projects, not only this one
  --json           answer as JSON
  --help           show this
"""
SNAG = """Usage: holdfast snag [OPTIONS] TEXT... --better TEXT

  Save what went wrong and the better path; `-` reads both from stdin, the second behind "Better:". The close makes an
  edit of it: of the rule or skill that is named, or of a note that comes back by itself at the tool, command or file
  that the snag names. `holdfast loops` shows which.

Options:
  --better TEXT        what to do instead, next time
  --rule NAME          the rule that should say so; it is made where there is none
  --skill NAME         the skill that should say so, by its folder; waits in `holdfast review` unless you allow it
  --evidence EVIDENCE  file:line, commit, quote or URL; may be repeated
  --json               answer as JSON
  --help               show this
"""
RESUME = """Usage: holdfast resume

  End a pause.
"""
CHECKPOINT = """Usage: holdfast task checkpoint [OPTIONS] TEXT...

  Add one entry to the memory of a task, synced to disk before the answer.

  Without a section the form of the text must say it: COMPLETED / IN_PROGRESS / PENDING …, "DO NOT …",
  "Use X because …", "Discovered …", "Next: …". `-` reads the text from stdin.

Options:
  --decision       it binds later work; refused where it touches a decision in force
  --progress       units and their state: "COMPLETED: files 048-091", "IN_PROGRESS: files 092-??? (stopped at 094)"
  --discovery      something that later work must know
  --next           the one exact next step
  --supersedes ID  the entry that this one replaces; may be repeated
  --and            this decision and those that it touches both hold
  --task ID        which task, where several are open in this project
  --json           answer as JSON
  --help           show this
"""
NEXT = """Usage: holdfast task next [OPTIONS] [ID]

  Print the one exact next step of a task; status 1 where nothing is left.

Options:
  --json  as JSON: {"task", "state", "next", "unit", "begun", "seen": {"done", "begun"}}
  --help  show this
"""
IS_DONE = """Usage: holdfast task is-done [OPTIONS] UNIT...

  Whether a unit is done, for scripts: status 0 if it is completed or skipped, or was seen done by the hook, 1 if not.

Options:
  --task ID  which task, where several are open in this project
  --claimed  only what somebody said counts, not what the hook saw
  --json     as JSON: {"task", "unit", "done", "seen"}; done is null where nothing was said of it
  --help     show this
"""

BEHIND = 10  # how far background work stands behind the agent that somebody waits for


def start(argv: list[str], began: int) -> None:
    """The entry of the launcher, which never returns."""
    from holdfast.capture.platform import environ

    if argv[0] in INTERNAL:
        posix.nice(BEHIND)
    posix._exit(run(argv, environ(), began))


def run(argv: list[str], env: Mapping[str, str], began: int) -> int:
    """Run one command and answer its exit status; an error is one sentence on stderr."""
    try:
        return dispatch(argv, env, began)
    except HoldfastError as error:
        say(f"holdfast {name_of(argv)}: {error}\n", 2)
        return error.exit_status
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        say(f"holdfast {name_of(argv)}: {place}{error.strerror or error}; nothing was acknowledged. Run it again.\n", 2)
        return HoldfastError.exit_status
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # one sentence, whatever it was; `holdfast --debug` shows where
        say(f"holdfast {name_of(argv)}: {type(error).__name__}: {error}; nothing was acknowledged.\n", 2)
        return HoldfastError.exit_status


def dispatch(argv: list[str], env: Mapping[str, str], began: int) -> int:
    """Run one command; an error is raised."""
    name = name_of(argv)
    rest = argv[1 + name.count(" ") :]
    command, help_text = COMMANDS.get(name) or INTERNAL[name]
    options = rest[: rest.index("--") if "--" in rest else None]
    if "--help" in options or "-h" in options:
        say(help_text)
        return 0
    return command(rest, env, began)


def name_of(argv: list[str]) -> str:
    """The command that a line runs: the first word, or the first two."""
    return " ".join(argv[:2]) if argv[:1] == ["task"] else argv[0] if argv else ""


def say(text: str, fd: int = 1) -> None:
    """Print, to a reader that may have gone."""
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[posix.write(fd, data) :]
    except OSError:
        return  # the reader has gone, or the disk behind it is full; what was done is done


def _saving(module: str, function: str, *before: str) -> Command:
    """A command whose module is imported only when it runs."""

    def run_it(argv: list[str], env: Mapping[str, str], began: int) -> int:  # noqa: ARG001
        found = getattr(__import__(f"holdfast.cli.{module}", fromlist=[function]), function)
        status: int = found(*before, argv, env)
        return status

    return run_it


def hook(argv: list[str], env: Mapping[str, str], began: int) -> int:
    from holdfast.hook.main import main

    return main(argv[0] if argv else "generic", env, began, patient=True)


def _switch(argv: list[str], env: Mapping[str, str], *, paused: bool) -> int:
    from holdfast.capture import gate, home, pause, platform

    if argv:
        raise UsageError(f'"{argv[0]}" was not understood; nothing was changed.')
    if paused:
        pause.begin(env, time.time(), by=gate.asker(env, platform.working_folder(env), home.capture_vault(env)))
        say("Paused: nothing is captured until `holdfast resume`.\n")
    else:
        say("Capture goes on.\n" if pause.end(env) else "Nothing was paused.\n")
    return 0


def upkeep(argv: list[str], env: Mapping[str, str], began: int) -> int:  # noqa: ARG001
    """The hook starts it in the background at the end of a session; not for people."""
    from holdfast.capture import home
    from holdfast.capture.background import run as keep_up
    from holdfast.witness import account_file

    def work(vault: str) -> None:
        keep_up(vault, time.time())
        account_file.sweep(home.state(vault), time.time())

    return _quietly(env, "upkeep", work)


def background_close(argv: list[str], env: Mapping[str, str], began: int) -> int:  # noqa: ARG001
    """The hook starts it where an episode left something; its folder gets its brief. A project named behind it is
    closed while its sessions go on."""
    from holdfast.memory import Memory

    folder, midway = (*argv, "", "")[:2]
    return _quietly(
        env, "close", lambda vault: Memory.open(vault, folder, env=env).sessions.close_in_background(midway)
    )


def background_brief(argv: list[str], env: Mapping[str, str], began: int) -> int:  # noqa: ARG001
    """The hook starts it where a brief is missing or no longer true. A person's edits are committed first: an agent
    that changes them later must not be the one whose version git has."""
    from holdfast.memory import Memory
    from holdfast.vault import transaction

    def work(vault: str) -> None:
        memory = Memory.open(vault, argv[0], env=env)
        transaction.take_in(vault, memory.at.clock())
        memory.sessions.refresh_brief()
        memory.field.catch_up()

    return _quietly(env, "brief", work)


def background_sleep(argv: list[str], env: Mapping[str, str], began: int) -> int:  # noqa: ARG001
    """A close or an idle server starts it where sleep is due: the command itself, behind all else on the machine."""
    from holdfast.cli import app

    return _quietly(env, "sleep", lambda _: app.run(["sleep", *argv]))


def background_account(argv: list[str], env: Mapping[str, str], began: int) -> int:  # noqa: ARG001
    """The hook starts it at a boundary of a session that goes on: its account is kept, should it be killed."""
    from holdfast.capture import episodes, home
    from holdfast.model import replace
    from holdfast.witness import account_file

    def work(vault: str) -> None:
        known = episodes.of_key(home.state(vault), argv[0])
        if known is None:
            return
        episode = replace(known, transcript=argv[1])
        account_file.keep(home.state(vault), episode, time.time())  # at once: the kill may be next
        if account_file.is_more(argv[1], int(argv[2])):
            account_file.keep(home.state(vault), episode, time.time())

    return _quietly(env, "account", work)


def _quietly(env: Mapping[str, str], what: str, work: Callable[[str], object]) -> int:
    """Nobody sees the stderr of a background process, so the ledger is told what went wrong."""
    from holdfast.capture import home

    vault = home.vault(env)
    try:
        if not home.format_of(vault):
            from holdfast.capture import vault_id

            vault_id.refuse(vault, env)
        work(vault)
    except Exception as error:
        from holdfast.capture import ledger

        said = ledger.short(f"{type(error).__name__}: {error}", 500)
        ledger.append(home.state(home.capture_vault(env)), "error", time.time(), event=what, error=said)
        return 1
    return 0


COMMANDS: dict[str, tuple[Command, str]] = {
    "flag": (_saving("flag", "flag", "flag"), FLAG),
    "hook": (hook, HOOK),
    "pause": (lambda argv, env, _: _switch(argv, env, paused=True), PAUSE),
    "remember": (_saving("flag", "remember"), REMEMBER),
    "resume": (lambda argv, env, _: _switch(argv, env, paused=False), RESUME),
    "snag": (_saving("flag", "flag", "snag"), SNAG),
    "task checkpoint": (_saving("task_fast", "checkpoint"), CHECKPOINT),
    "task is-done": (_saving("task_fast", "is_done"), IS_DONE),
    "task next": (_saving("task_fast", "next_step"), NEXT),
}

INTERNAL: dict[str, tuple[Command, str]] = {
    "upkeep": (upkeep, ""),
    "background-close": (background_close, ""),
    "background-brief": (background_brief, ""),
    "background-account": (background_account, ""),
    "sleep": (background_sleep, ""),
}
