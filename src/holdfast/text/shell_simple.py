"""A simple command as the readers of a line hand it over, and lines that need no reader: plain words alone.

Most lines that agents run are plain, and each module costs a hook a fifth of a millisecond: shell_reader and
shell_expansion are for all the others.
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
