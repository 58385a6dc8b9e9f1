"""Our own commands in a tool call, as the hook sees them before the shell does.

A host may refuse the command, and a sandbox may keep it from writing: what was to be flagged is known here all the
same. Only what is certain is taken: words without expansions, in a command that runs whatever the others before it do.
`test -f x || holdfast flag …` may never run, so it is left to the shell.
"""

from __future__ import annotations

from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = "holdfast"
PLAIN = ("flag", "snag", "remember", "recall", "handoff")  # what an agent may run without being asked
HARMLESS = ("cd", "true", ":", "pwd")
NOWHERE = ("2>&1", "2>/dev/null", "2> /dev/null", ">/dev/null", "> /dev/null")  # redirections that write nothing
OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
BLOCKS = frozenset(
    ("if", "for", "while", "until", "case", "function", "{", "then", "else", "do", "!")
    + ("exit", "return", "set", "exec", "eval", "trap", "source", ".")
)


@value
class Said:
    """One of our commands: its name, what comes after it, and whether that is exactly what it will be run with."""

    name: str
    words: tuple[str, ...]
    is_certain: bool


@value
class Line:
    """What of a command line is ours. `is_all`: nothing else is run, and nothing is written anywhere but by us."""

    said: tuple[Said, ...] = ()
    is_all: bool = False


@value
class Word:
    text: str
    is_exact: bool  # the shell changes nothing in it
    is_operator: bool = False


def read(line: str, command: str = COMMAND) -> Line:
    """Our commands in a shell's command line."""
    if COMMAND not in line:
        return Line()
    said: list[Said] = []
    is_all = is_certain = True
    for operator, words in _simple(_words(line)):
        texts = [word.text for word in words]
        is_certain = is_certain and operator in ("", ";", "\n", "&&")
        if _is_ours(texts, command):
            exact = all(word.is_exact for word in words)
            said.append(Said(texts[1], tuple(texts[2:]), is_certain and exact))
            is_all = is_all and exact and operator in ("", ";", "\n", "&&") and texts[1] in PLAIN
        elif texts:
            is_harmless = texts[0] in HARMLESS and all(word.is_exact for word in words)
            is_all = is_all and is_harmless and operator in ("", ";", "\n", "&&")
            # What follows `&&` depends on this one; what follows a line break runs unless the shell was told to stop.
            is_certain = is_certain and (is_harmless or _goes_on(line)) and not BLOCKS.intersection(texts)
    return Line(tuple(said), bool(said) and is_all)


def _is_ours(texts: list[str], command: str) -> bool:
    return len(texts) > 1 and texts[0] in (COMMAND, command)


def _goes_on(line: str) -> bool:
    """Whether every command is run whatever became of the one before it."""
    return "&&" not in line and "||" not in line


def _simple(words: Iterator[Word]) -> Iterator[tuple[str, list[Word]]]:
    """Each simple command, with the operator before it. A redirection makes its command inexact."""
    operator = ""
    found: list[Word] = []
    for word in words:
        if word.is_operator:
            yield operator, found
            operator, found = word.text, []
        else:
            found.append(word)
    yield operator, found


def _words(line: str) -> Iterator[Word]:
    at = 0
    while at < len(line):
        letter = line[at]
        if letter in " \t\r":
            at += 1
        elif letter == "\\" and line[at + 1 : at + 2] == "\n":
            at += 2
        elif letter == "#":
            newline = line.find("\n", at)
            at = len(line) if newline < 0 else newline
        elif found := next((one for one in NOWHERE if line.startswith(one, at)), ""):
            at += len(found)
        elif found := next((one for one in OPERATORS if line.startswith(one, at)), ""):
            yield Word(found, True, True)
            at += len(found)
        else:
            word, at = _word(line, at)
            yield word


def _word(line: str, at: int) -> tuple[Word, int]:
    """One word as the shell would read it; inexact where an expansion, a glob or a redirection has a part in it."""
    text = ""
    is_exact = line[at] != "~"
    while at < len(line) and line[at] not in " \t\r\n;&|()":
        letter = line[at]
        if letter == "'":
            stop = line.find("'", at + 1)
            if stop < 0:
                return Word(text + line[at + 1 :], False), len(line)
            text, at = text + line[at + 1 : stop], stop + 1
        elif letter == '"':
            inner, at, is_plain = _quoted(line, at + 1)
            text, is_exact = text + inner, is_exact and is_plain
        elif letter == "\\":
            text += "" if line[at + 1 : at + 2] == "\n" else line[at + 1 : at + 2]
            at += 2
        else:
            is_exact = is_exact and letter not in "$`*?[{<>"
            text, at = text + letter, at + 1
    return Word(text, is_exact), at


def _quoted(line: str, at: int) -> tuple[str, int, bool]:
    text = ""
    is_plain = True
    while at < len(line) and line[at] != '"':
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\", "$", "`", "\n"):
            text += "" if line[at + 1] == "\n" else line[at + 1]
            at += 2
        else:
            is_plain = is_plain and line[at] not in "$`"
            text, at = text + line[at], at + 1
    return text, at + 1, is_plain and at < len(line)
