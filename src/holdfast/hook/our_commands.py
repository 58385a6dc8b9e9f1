"""Our own commands in a tool call, as the hook sees them before the shell does.

A host may refuse the command, and a sandbox may keep it from writing: what was to be flagged is known here all the
same. Only what is certain is taken: words that the shell hands over as they are, in a command that is run whatever
becomes of the others. `test -f x || holdfast flag …` may never run, so it is left to the shell.
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.text import shell_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.text.shell_words import Command

COMMAND = "holdfast"
CHECKPOINT = "task checkpoint"
TAKEN = ("flag", "snag", CHECKPOINT)  # what the hook can do in the command's stead
RAW = ("flag", "snag", "remember", "handoff")  # whose words the hook keeps where a shell may change them
TASK = tuple(f"task {what}" for what in ("start", "pause", "resume", "block", "complete", "promote"))
LOOKING = tuple(f"task {what}" for what in ("show", "next", "is-done", "list", "decisions", "protocol"))
PLAIN = (*TAKEN, *TASK, *LOOKING, "remember", "recall", "handoff")  # what an agent may run without being asked
READING = ("show", "notes", "queue", "log", "boot", "history", "check", "doctor")
HARMLESS = ("true", ":", "pwd")  # that succeed, and change nothing
# Builtins that can end the shell, or change what the commands after them are, where they run, or for whom.
UPSETTING = frozenset(
    ("exit", "return", "logout", "set", "exec", "eval", "trap", "source", ".", "break", "continue", "kill", "suspend")
    + (
        "alias",
        "unalias",
        "hash",
        "enable",
        "shopt",
        "setopt",
        "unsetopt",
        "emulate",
        "builtin",
        "command",
        "functions",
    )
    + ("export", "readonly", "declare", "typeset", "local", "unset", "let", "read", "mapfile", "readarray", "getopts")
    + ("cd", "pushd", "popd", "chdir", "ulimit", "umask", "shift", "times", "bind", "autoload")
)
CUT_AT = (4096, 1 << 16)  # lengths that a line has when an adapter has cut it


@value
class Said:
    """One of our commands: its name, what comes after it, and whether it is run, with exactly that.

    `folders` are those that the line goes to before it, one after the other: certain only if they are there. `is_raw`:
    it is run, unless the shell stumbles over it, with words of which the shell may change something; here they are as
    they were written. `document` is what it reads from the line itself. `unread` is all that stands behind it where the
    line begins with it and cannot be read: a quote that is never closed, most often.
    """

    name: str
    words: tuple[str, ...]
    is_certain: bool
    folders: tuple[str, ...] = ()
    is_raw: bool = False
    document: str | None = None
    unread: str = ""


@value
class Line:
    """What of a command line is ours. `is_all`: nothing else is run, and nothing is written anywhere but by us.
    `is_ours`: the same, where it may also be a command that only looks."""

    said: tuple[Said, ...] = ()
    is_all: bool = False
    is_ours: bool = False


def read(line: str, command: str = COMMAND) -> Line:
    """Our commands in a shell's command line, in its order."""
    if COMMAND not in line:
        return Line()
    names = (COMMAND,) if command == COMMAND else _names(command)
    said: list[Said] = []
    is_all = goes_on = len(line) not in CUT_AT
    is_sound = True
    folders: tuple[str, ...] = ()
    try:
        for commands in shell_words.lines(line):
            is_apart = any(one.after in ("&", "|") for one in commands)
            was_sound, is_sound = is_sound, is_sound and all(one.is_sound for one in commands)
            reached = True
            for one in commands:
                if one.before in ("", ";", "&"):
                    reached = True
                elif one.before == "||":
                    reached = False
                if _is_ours(one, names):
                    is_run = goes_on and reached
                    said.append(_said(one, certain=is_run and is_sound, raw=is_run and was_sound, folders=folders))
                    succeeds = said[-1].is_certain and said[-1].name in TAKEN
                    is_all = is_all and _is_plain(one) and said[-1].name in (*PLAIN, *READING)
                elif _is_move(one):
                    succeeds = goes_on = goes_on and reached and not is_apart
                    folders += one.texts[1:]
                else:
                    succeeds = _is_harmless(one)
                    goes_on = goes_on and _leaves_alone(one)
                    is_all = is_all and succeeds
                is_all = is_all and one.after in ("", ";", "&&")
                reached = reached and (succeeds or one.after == "|")
    except shell_words.Beyond as beyond:
        rest = str(beyond).lstrip()
        begun = next((name for name in RAW if goes_on and is_sound and rest.startswith(f"{COMMAND} {name} ")), "")
        said += [Said(name, (), False) for name in TAKEN if f"{COMMAND} {name} " in rest and name != begun]
        if begun:
            said.append(Said(begun, (), False, folders, unread=rest[len(COMMAND) + len(begun) + 2 :]))
        is_all = False
    is_ours = bool(said) and is_all
    return Line(tuple(said), is_ours and all(one.name in PLAIN for one in said), is_ours)


def _names(command: str) -> tuple[str, ...]:
    """How we can be called: by our name, or as the launcher says, which quotes a path as a shell wants it."""
    try:
        return (COMMAND, *(one.texts[0] for found in shell_words.lines(command) for one in found if one.texts))
    except shell_words.Beyond:
        return (COMMAND,)


def _is_ours(one: Command, names: tuple[str, ...]) -> bool:
    texts = one.texts[_settings(one) :]
    return len(texts) > 1 and texts[0] in names


def _said(one: Command, *, certain: bool, raw: bool, folders: tuple[str, ...]) -> Said:
    name, *words = one.texts[_settings(one) + 1 :]
    if name == "task" and words:
        name, words = f"task {words[0]}", words[1:]
    is_certain = certain and _is_plain(one)
    is_raw = raw and not is_certain and one.is_one and one.is_aside and not _settings(one)
    return Said(name, tuple(words), is_certain, folders, is_raw, one.document)


def _is_plain(one: Command) -> bool:
    """Run as it stands here; with another environment it could be for another session or vault."""
    return one.is_exact and one.is_aside and not _settings(one)


def _is_move(one: Command) -> bool:
    """`cd` to a folder that is named; where that is not there, the rest may not run."""
    texts = one.texts
    return texts[:1] == ("cd",) and len(texts) == 2 and _is_plain(one) and texts[1][:1] not in ("", "-")


def _is_harmless(one: Command) -> bool:
    return bool(one.texts) and one.texts[0] in HARMLESS and _is_plain(one)


def _leaves_alone(one: Command) -> bool:
    """Whether the shell goes on behind it as if it had not been, whether it works or fails."""
    name = one.texts[_settings(one) :][:1]
    return _is_harmless(one) or (bool(name) and one.is_exact and name[0] not in UPSETTING and name[0] not in HARMLESS)


def _settings(one: Command) -> int:
    """How many words set variables before the command's own name."""
    for nth, text in enumerate(one.texts):
        name, equals, _ = text.partition("=")
        if not equals or not name.rstrip("+").isidentifier():
            return nth
    return len(one.texts)
