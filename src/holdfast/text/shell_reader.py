"""A whole command line, read command by command, or not at all: for deciding whose text its output may be.

Promise: every simple command that a shell would run is told, in order, also those in substitutions, subshells, loops
and behind pipes, or `Unreadable` is raised, unlike in shell_programs. Words are read by shell_expansion.
"""

from __future__ import annotations

from holdfast.text.shell_expansion import ENDS_WORD, SPACES, Words
from holdfast.text.shell_simple import BEYOND, SETTERS, SKIPPED, UNKNOWN, Simple, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

JOINS = (";;&", ";;", ";&", "&&", "||", "|&", "|", ";", "&")
REDIRECTIONS = ("<<<", "<<-", "<<", "<>", "<&", "&>>", "&>", ">>", ">&", ">|", "<", ">")
MOST_VALUES = 64
MOST_COMMANDS = 400
DEEPEST = 12
INNER = 4  # commands within one another's words


class Reader(Words):
    """`take` gets each command; `enter` and `leave` surround a subshell. `known`: variables and possible values."""

    def __init__(
        self, text: str, take: Callable[[Simple], None], enter: Callable[[], None], leave: Callable[[], None],
        known: dict[str, list[str]],
    ) -> None:  # fmt: skip
        super().__init__(text, known)
        self.take, self.enter, self.leave = take, enter, leave
        self.depth = self.count = 0
        self.documents: list[tuple[Simple, str, bool, bool]] = []
        self.later: list[Simple] = []

    def read(self) -> None:
        self._list("")
        if self.at < len(self.text) or self.documents:
            raise Unreadable

    def _list(self, closing: str) -> None:
        """Commands up to what closes them, which is taken too."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable
        before: Simple | None = None
        is_piped = False
        while True:
            self._blanks()
            letter = self.peek()
            if letter in ("", ")"):
                if letter != closing:
                    raise Unreadable
                self.at += len(closing)
                break
            if letter == "\n":
                self.at += 1
                self._bodies()
            elif letter == "(":
                if self.text.startswith("((", self.at):
                    self.arithmetic("((")
                else:
                    self.at += 1
                    self.substituted()
                before, is_piped = None, self._joined()
            elif letter in ";&|":
                is_piped = self._joined()
            else:
                found = self._command(before, is_piped)
                is_piped = self._joined()
                before = found if is_piped else None
        self.depth -= 1

    def _joined(self) -> bool:
        """Past what joins this command to the next; whether that is a pipe."""
        self._blanks()
        sign = next((one for one in JOINS if self.text.startswith(one, self.at)), "")
        self.at += len(sign)
        return sign in ("|", "|&")

    def _past(self, word: str) -> bool:
        """Whether a word stands here; then it is passed."""
        is_there = self.text.startswith(word, self.at)
        self.at += len(word) * is_there
        return is_there

    def _set(self, name: str, values: list[str]) -> None:
        found = self.known.setdefault(name, [])
        found += [value for value in values if value not in found]
        if len(found) > MOST_VALUES:
            raise Unreadable

    def _loop(self) -> None:
        """`for NAME in WORDS`: the name may have any of them as its value."""
        self._blanks()
        began = self.at
        self.word()
        name = self.text[began : self.at]
        if not name.isidentifier():
            raise Unreadable
        self._blanks()
        if not self._past("in"):
            raise Unreadable  # over what the line was given
        while True:
            self._blanks()
            if self.peek() in ("", "\n", ";"):
                return
            values, _ = self.word()
            self._set(name, values)

    def _case(self) -> None:
        """`case WORD in PATTERN) … ;; esac`: the patterns are words, and the commands are read as any."""
        self._blanks()
        self.word()
        self._blanks(lines=True)
        if not self._past("in"):
            raise Unreadable
        while True:
            self._blanks(lines=True)
            if self.text.startswith("esac", self.at):
                return
            self._past("(")
            while self.peek() != ")":
                self._blanks(lines=True)
                if self._past("|"):
                    continue
                if self.peek() in ("", ";", "&", "<", ">", "("):
                    raise Unreadable
                if self.peek() != ")":
                    self.word()
            self.at += 1
            self._until_case_ends()

    def _until_case_ends(self) -> None:
        before: Simple | None = None
        is_piped = False
        while True:
            self._blanks(lines=True)
            if self.text.startswith("esac", self.at) or self._past(";;"):
                return
            if self.peek() in ("", ")", "("):
                raise Unreadable
            found = self._command(before, is_piped)
            self._blanks()
            if self.text.startswith(";;", self.at):
                continue
            is_piped = self._joined()
            before = found if is_piped else None

    def _test(self, made: Simple) -> None:
        """`[[ … ]]`: only what is substituted in it runs."""
        made.words.append("[[")
        while True:
            self._blanks(lines=True)
            if self._past("]]"):
                return
            letter = self.peek()
            if not letter:
                raise Unreadable
            if letter in "()<>&|;":
                self.at += 1
            else:
                self.word()

    def _redirected(self, made: Simple, number: str) -> bool:
        """A redirection at this place; False where there is none."""
        text, at = self.text, self.at
        sign = next((one for one in REDIRECTIONS if text.startswith(one, at)), "")
        if not sign:
            raise Unreadable
        if sign in ("<", ">") and text[at + 1 : at + 2] == "(":
            if number:
                raise Unreadable
            return False  # a substitution: it is a word
        self.at += len(sign)
        self._blanks()
        if sign in ("<<", "<<-"):
            began = self.at
            end = self._delimiter()
            is_quoted = any(one in text[began : self.at] for one in "'\"\\")
            self.documents.append((made, end, sign == "<<-", is_quoted))
            return True
        values, _ = self.word()
        if sign in ("<&", ">&") and all(one.rstrip("-").isdecimal() or one == "-" for one in values):
            return True
        if sign == "<<<":
            made.document = "\n".join(values)
        elif sign in ("<", "<&", "<>"):
            made.inputs += values
        elif sign in (">>", "&>>"):
            made.appended += values
        else:
            made.outputs += values
        return True

    def _delimiter(self) -> str:
        began = self.at
        while self.peek() and self.peek() not in ENDS_WORD:
            self.at += 1
        word = self.text[began : self.at]
        if not word or "$" in word or "`" in word:
            raise Unreadable
        return word.translate({ord(one): None for one in "'\"\\"})

    def _bodies(self) -> None:
        """The documents that the line before has announced."""
        waiting, self.documents = self.documents, []
        for made, end, strips, is_quoted in waiting:
            lines: list[str] = []
            while lines[-1:] != [end]:
                if self.at >= len(self.text):
                    raise Unreadable  # it never ends
                stop = self.text.find("\n", self.at)
                line = self.text[self.at : stop if stop >= 0 else None]
                self.at += len(line) + 1
                lines.append(line.lstrip("\t") if strips else line)
            self.at = min(self.at, len(self.text))
            made.document = "\n".join(lines[:-1])
            if not is_quoted and any(sign in made.document for sign in "$`"):
                made.document = "".join(self._within(made.document).quoted(""))
        later, self.later = self.later, []
        for made in later:
            self.take(made)

    def _blanks(self, *, lines: bool = False) -> None:
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in SPACES:
                self.at += 1
            elif letter == "\n" and lines:
                self.at += 1
                self._bodies()
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif letter == "#" and (self.at == 0 or self.text[self.at - 1] in ENDS_WORD):
                stop = self.text.find("\n", self.at)
                self.at = len(self.text) if stop < 0 else stop
            else:
                return

    def substituted(self) -> None:
        """Commands that run in a shell of their own."""
        self.enter()
        self._list(")")
        self.leave()

    def apart(self, text: str) -> None:
        self.enter()
        self._within(text).read()
        self.leave()

    def _within(self, text: str) -> Reader:
        """The reader of a text that stands within this one."""
        inner = Reader(text, self.take, self.enter, self.leave, self.known)
        inner.depth = self.depth + INNER
        return inner

    def _command(self, before: Simple | None, is_piped: bool) -> Simple:
        self.count += 1
        if self.count > MOST_COMMANDS:
            raise Unreadable
        made = Simple()
        made.before, made.is_piped = before, is_piped
        at_first = self.at
        while True:
            self._blanks()
            letter = self.peek()
            if not letter or letter in "\n;|)" or (letter == "&" and not self.text.startswith("&>", self.at)):
                break
            if letter == "(":
                raise Unreadable  # a function, or an array
            if letter in "<>&" and self._redirected(made, ""):
                continue
            began = self.at
            values, is_bare = self.word()
            plain = self.text[began : self.at]
            if is_bare and plain.isdecimal() and self.peek() in ("<", ">"):
                self._redirected(made, plain)
            elif not (is_bare and self._is_reserved(made, plain)) and not self._is_setting(made, plain, values):
                self._add(made, plain, values)
        if self.at == at_first:
            raise Unreadable
        if self.later or any(one is made for one, *_ in self.documents):
            self.later.append(made)  # told once its document is there, behind the line, and in order
        else:
            self.take(made)
        return made

    def _is_reserved(self, made: Simple, plain: str) -> bool:
        """A word of the shell's own language: what belongs to it is read, and it is no word of the command."""
        if made.words:
            if plain in ("{", "}"):
                raise Unreadable  # a form that only some shells have
            return False
        if plain in BEYOND:
            raise Unreadable
        if made.settings:
            return False
        if plain == "for":
            self._loop()
        elif plain == "case":
            self._case()
        elif plain == "[[":
            self._test(made)
        return plain in SKIPPED or plain in ("for", "case", "[[")

    def _is_setting(self, made: Simple, plain: str, values: list[str]) -> bool:
        """`NAME=value` before a command, or alone."""
        name = plain.partition("=")[0].removesuffix("+")
        if made.words or "=" not in plain or not (name.isidentifier() and name.isascii()):
            return False
        settings = [value.partition("=")[2] for value in values]
        made.settings += [(name, value) for value in settings]
        self._set(name, settings)
        return True

    def _add(self, made: Simple, plain: str, values: list[str]) -> None:
        name = plain.partition("=")[0]
        if not made.words and plain == "[":
            values = ["["]
        elif not made.words and any(sign in plain for sign in "$`"):
            values = [UNKNOWN]  # which program it is, only the shell knows
        elif made.words and made.words[0] in SETTERS and "=" in plain:
            self._set(name, [value.partition("=")[2] for value in values])
        elif made.words[:1] == ["read"] and name.isidentifier():
            self._set(name, [UNKNOWN])
        made.words += values
