"""Words of a command line: quotes, variables and substitutions, as all that a word may be once a shell has read it.

The commands in a substitution are told to whoever reads the line, so that none is missed. A part that only a shell can
know is UNKNOWN; unquoted signs that match file names are marked, so that a quoted star stays a star.
"""

from __future__ import annotations

from holdfast.text.shell_simple import ANY, ONE, SET, UNKNOWN, Unreadable

MARKS = {"*": ANY, "?": ONE, "[": SET}
SPACES = " \t\r"
ENDS_WORD = " \t\r\n;&|()<>"
SPECIAL = tuple("?#@*!$-")  # variables of the shell's own
MOST_VALUES = 64


class Words:
    """A text that is read word by word. `known` are variables and the values that they may have."""

    def __init__(self, text: str, known: dict[str, list[str]]) -> None:
        if any(mark in text for mark in ("\0", UNKNOWN, ANY, ONE, SET)):
            raise Unreadable
        self.text, self.at, self.known = text, 0, known

    def substituted(self) -> None:
        """Commands up to the bracket that closes them."""
        raise Unreadable

    def apart(self, text: str) -> None:  # noqa: ARG002
        """Commands that were written with their own signs masked."""
        raise Unreadable

    def word(self) -> tuple[list[str], bool]:
        """The next word as all that it may be, and whether nothing in it was quoted."""
        values, is_bare = [""], True
        began = self.at
        if self.peek() in ("<", ">") and self.text[self.at + 1 : self.at + 2] == "(":
            self.at += 2
            self.substituted()
            values = ["/dev/fd/63"]
        while self.at < len(self.text) and self.peek() not in ENDS_WORD:
            letter = self.peek()
            if letter in "$`":
                more = self.expanded(is_quoted=False)
                ends_word = not self.peek() or self.peek() in ENDS_WORD
                if values == [""] and is_bare and ends_word:  # alone: the shell makes words of it
                    return [part for value in more for part in (value.split() or [""])], is_bare
                more = [UNKNOWN if any(sign in SPACES or sign == "\n" for sign in one) else one for one in more]
            elif letter in "'\"\\":
                more, is_bare = self._quoted_part(letter), is_bare and self.text.startswith("\\\n", self.at - 2)
            elif letter == "~" and self.at == began:
                self.at += 1
                is_home = not self.peek() or self.peek() in "/" + ENDS_WORD
                more = self.known.get("HOME", [UNKNOWN]) if is_home else [UNKNOWN]
            elif letter == "{" and self._is_brace():
                self.at = self.text.index("}", self.at) + 1
                more = [UNKNOWN]
            else:
                more = [MARKS.get(letter, letter)]
                self.at += 1
            values = joined(values, more)
        if self.at == began:
            raise Unreadable
        return values, is_bare

    def _up_to(self, closing: str, begin: int) -> str:
        """The text from a place to the sign that closes it, which is passed too."""
        stop = self.text.find(closing, begin)
        if stop < 0:
            raise Unreadable
        self.at = stop + len(closing)
        return self.text[begin:stop]

    def _quoted_part(self, letter: str) -> list[str]:
        if letter == "'":
            return [self._up_to("'", self.at + 1)]
        if letter == '"':
            self.at += 1
            return self.quoted('"')
        taken = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        return ["" if taken == "\n" else taken]

    def _is_brace(self) -> bool:
        """Whether braces at this place make several words of one."""
        end = self.text.find("}", self.at)
        inner = self.text[self.at + 1 : end] if end > 0 else ""
        return ("," in inner or ".." in inner) and not any(one in inner for one in " \t\n'\"")

    def quoted(self, closing: str) -> list[str]:
        """What stands in double quotes, or up to the end where nothing closes it, as all that it may be."""
        values = [""]
        while True:
            letter = self.peek()
            if letter == closing:
                self.at += len(closing)
                return values
            if not letter:
                raise Unreadable
            if letter == "\\":
                behind = self.text[self.at + 1 : self.at + 2]
                more = ["" if behind == "\n" else behind if behind in '"\\$`' else f"\\{behind}"]
                self.at += 2
            elif letter in "$`":
                more = self.expanded(is_quoted=True)
            else:
                stop = self.at + 1
                while stop < len(self.text) and self.text[stop] not in '"\\$`':
                    stop += 1
                more = [self.text[self.at : stop]]
                self.at = stop
            values = joined(values, more)

    def expanded(self, *, is_quoted: bool) -> list[str]:
        """A variable or a substitution at this place, as all that it may be."""
        text = self.text
        if text[self.at] == "`":
            stop = self.at + 1
            while stop < len(text) and text[stop] != "`":
                stop += 2 if text[stop] == "\\" else 1
            if stop >= len(text):
                raise Unreadable
            self.apart(text[self.at + 1 : stop].replace("\\`", "`").replace("\\$", "$"))
            self.at = stop + 1
            return [UNKNOWN]
        if text.startswith("$((", self.at):
            self.arithmetic("$((")
            return ["0"]
        if text.startswith("$(", self.at):
            self.at += 2
            self.substituted()
            return [UNKNOWN]
        if text.startswith("${", self.at):
            return self._in_braces()
        if text.startswith(("$'", '$"'), self.at) and not is_quoted:
            return self._in_dollar_quotes()
        return self._variable()

    def _in_braces(self) -> list[str]:
        inner = self._up_to("}", self.at + 2)
        if any(sign in inner for sign in "$`('\"\\{"):
            raise Unreadable
        return self.known.get(inner, [UNKNOWN]) if inner.isidentifier() else [UNKNOWN]

    def _in_dollar_quotes(self) -> list[str]:
        """$'…' and $"…", without signs in them that stand for others."""
        inner = self._up_to(self.text[self.at + 1], self.at + 2)
        if any(one in inner for one in "\\$`"):
            raise Unreadable
        return [inner]

    def _variable(self) -> list[str]:
        self.at += 1
        began = self.at
        while self.at < len(self.text) and self.peek().isascii() and (self.peek().isalnum() or self.peek() == "_"):
            self.at += 1
            if self.text[began].isdecimal():
                break
        name = self.text[began : self.at]
        if name:
            return self.known.get(name) or [UNKNOWN]
        if self.peek() in SPECIAL:
            self.at += 1
            return [UNKNOWN]
        return ["$"]

    def arithmetic(self, opening: str) -> None:
        inner = self._up_to("))", self.at + len(opening))
        if "$(" in inner or "`" in inner or "[" in inner:
            raise Unreadable  # an index in it can run a command

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]


def joined(values: list[str], more: list[str]) -> list[str]:
    made = [one + two for one in values for two in more]
    if len(made) > MOST_VALUES:
        raise Unreadable
    return made
