"""A simple command as the readers of a line hand it over, and lines that need no reader: plain words alone.

Most lines that agents run are plain, and each module costs a hook a fifth of a millisecond: shell_reading and
shell_expansion are for all the others.

Whether a command line commits with git, told without a shell: what is quoted in it is no command.
"""

from __future__ import annotations

UNKNOWN, ANY, ONE, SET = "\x01", "\x02", "\x03", "\x04"  # what a shell puts there; an unquoted *, ? and [
SETTERS = ("export", "local", "declare", "typeset", "readonly")
# Letters that mean themselves in every shell, wherever they stand in a word.
PLAIN = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,@%+-"))
SKIPPED = frozenset(("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time", "esac"))
BEYOND = frozenset(("function", "select", "coproc", "repeat", "foreach"))
# First words that are no program: the shell's own language, and those that set variables.
LANGUAGE = SKIPPED | BEYOND | {"for", "case", "in", "read", *SETTERS}
AND = "&&"


class Unreadable(Exception):
    """The line goes on in a way that is not looked through."""


class Simple:
    """One simple command: its words, what was set for it, the files that it reads from and writes to, the document that
    it is given, whether its input comes through a pipe, and from which command where that is a simple one."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.settings: list[tuple[str, str]] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.appended: list[str] = []
        self.document: str | None = None
        self.before: Simple | None = None
        self.is_piped = False


def plain_commands(text: str) -> list[list[str]]:
    """The words of each command in a line of plain words, joined by `&&` or alone; [] for any other line."""
    words = text.split(" ")
    if any(word.translate(PLAIN) and word != AND for word in words):
        return []
    found: list[list[str]] = [[]]
    for word in words:
        if word == AND:
            found.append([])
        elif word:
            found[-1].append(word)
    return [] if any(not one or one[0] in LANGUAGE for one in found) else found


NO_COMMIT = ("--dry-run", "--help", "-h", "--short", "--porcelain", "--long")  # the last three only show what would be
VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")  # options of git that a word follows
BEFORE = frozenset(("sudo", "env", "time", "command", "exec", "nice", "nohup", "timeout", "then", "do", "else", "!"))
ENDS = dict.fromkeys(map(ord, ";&|\n(){}`"), "\n")
LONGEST = 1 << 14  # of a command line that is looked through


def is_commit(command: str) -> bool:
    """Whether a command line commits with git: `git commit` as a command of its own, whatever options git takes."""
    return any(_commits(line.split()) for line in _bare(command[:LONGEST]).translate(ENDS).split("\n"))


def _commits(words: list[str]) -> bool:
    """One simple command. What only runs another, and variables set for it, may stand before git."""
    at = 0
    while at < len(words) and (words[at] in BEFORE or "=" in words[at] or (at and words[at][0] in "-0123456789")):
        at += 1
    if at == len(words) or words[at].rpartition("/")[2] != "git":
        return False
    rest = words[at + 1 :]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in VALUED else rest[1:]
    return rest[:1] == ["commit"] and not any(word in NO_COMMIT for word in rest)


def _bare(command: str) -> str:
    """A command line without what is quoted in it: a commit's message is no command."""
    bare, at = [], 0
    while at < len(command):
        letter = command[at]
        if letter == "\\":
            bare.append(" " if command[at + 1 : at + 2] == "\n" else "_")
            at += 2
        elif letter in "'\"":
            bare.append("_")
            at = _behind(command, at + 1, letter)
        else:
            bare.append(letter)
            at += 1
    return "".join(bare)


def _behind(command: str, at: int, quote: str) -> int:
    while at < len(command) and command[at] != quote:
        at += 2 if quote == '"' and command[at] == "\\" else 1
    return at + 1
