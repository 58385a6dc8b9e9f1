"""A shell's command line as far as it can be read without being a shell: simple commands, line by line.

Promise: what is read here, sh, bash and zsh read in the same way. Where they differ, or where the rest depends on more
than the text (compound commands, substitutions, functions), reading ends and says so; a word that a shell may change
(globs, variables, tildes, braces) is marked. A shell runs a line once it has all of it, so what was read before the
line at which reading ends is good.

In double quotes and in documents a shell puts something else in the place of `x`, $x and $(x). Most who write them so
meant these very signs: such a word is read as it was written, and marked too.
"""

from __future__ import annotations

from holdfast.model import value, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BLANKS = " \t"
ENDS_WORD = " \t\n;&|()<>"
CHANGES = "$`*?[{}"  # unquoted: the shell makes something else of the word, or may
CONTROLS = "".join(map(chr, range(32))).replace("\n", "").replace("\t", "") + "\x7f"
JOINS = ("&&", "||", "|")  # operators behind which a line break means nothing
CLOSINGS = {"`": "`", "$(": ")", "${": "}"}  # of what a shell puts something else in the place of
PLAIN = " _-./:=,@%+^"  # signs in a substitution that no shell stumbles over, beside letters and digits
REDIRECTIONS = ("<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">")
RESERVED = word_set(
    "if then elif else fi for while until do done case esac select in { } ! [[ ]] function time coproc repeat foreach "
    "end nocorrect noglob always"
)


class Beyond(Exception):
    """Here the shell's language goes on and ours ends."""


@value
class Word:
    """`is_exact`: the shell changes nothing in it. `is_bare`: nothing in it was quoted. `is_one`: it is one word,
    whatever the shell may put in the place of something in it. `is_sound`: no shell stumbles over what it is to put
    there; one that does may run nothing of the line, nor anything behind it."""

    text: str
    is_exact: bool = True
    is_bare: bool = True
    is_one: bool = True
    is_sound: bool = True


@value
class Command:
    """A simple command with the operators on either side of it ("" at the ends of a line). `is_exact`: it is run with
    these words and nothing else comes of it, unless it is redirected: `is_aside` says that this goes nowhere
    (/dev/null, stdout and stderr joined, a document in the line itself), so that it cannot fail. `is_one` and
    `is_sound`: all of its words are. `document` is what it reads from the line itself, as it stands there."""

    words: tuple[Word, ...]
    before: str
    after: str
    is_exact: bool
    is_aside: bool
    is_one: bool = True
    is_sound: bool = True
    document: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)


@value
class Document:
    """A here-document that is still to come, of the nth command of its line."""

    end: str
    strips: bool
    expands: bool
    nth: int


def lines(text: str) -> Iterator[tuple[Command, ...]]:
    """The commands of each line that can be read, up to the first that cannot; then raises Beyond with the rest."""
    at = 0
    while at < len(text):
        began = at
        try:
            found, at = _line(text, at)
        except Beyond as beyond:
            raise Beyond(text[began:]) from beyond
        if found:
            yield found


class _Draft:
    """A simple command while it is read."""

    def __init__(self, before: str) -> None:
        self.words: list[Word] = []
        self.before = before
        self.is_exact = self.is_aside = self.is_document_exact = True
        self.is_redirected = False
        self.document: str | None = None

    def made(self, after: str) -> Command:
        is_exact = self.is_exact and self.is_document_exact and all(word.is_exact for word in self.words)
        is_one = self.is_exact and all(word.is_one for word in self.words)
        is_sound = all(word.is_sound for word in self.words)
        return Command(tuple(self.words), self.before, after, is_exact, self.is_aside, is_one, is_sound, self.document)


def _line(text: str, at: int) -> tuple[tuple[Command, ...], int]:
    """One line with the documents that it announces, and where the next begins."""
    done: list[tuple[_Draft, str]] = []
    waiting: list[Document] = []
    draft = _Draft("")
    while True:
        at = _skip(text, at)
        letter = text[at : at + 1]
        if letter in ("", "\n"):
            at = _documents(text, at + 1, waiting, [one for one, _ in done] + [draft])
            waiting = []
            if draft.words or draft.is_redirected:
                done.append((draft, ""))
                break
            if draft.before not in JOINS:
                break
            if not letter:
                raise Beyond
            continue  # the line goes on in the next
        if letter in "()":
            raise Beyond
        if letter in ";&|":
            operator = _operator(text, at, draft)
            at += len(operator)
            done.append((draft, operator))
            draft = _Draft(operator)
        elif letter in "<>":
            at = _redirection(text, at, draft, waiting, len(done))
        else:
            word, at = _word(text, at)
            if text[at : at + 1] in ("<", ">") and word.is_bare and word.text.isdecimal():
                if len(word.text) > 1:
                    raise Beyond  # a file number for some, a word for others
                at = _redirection(text, at, draft, waiting, len(done))
                continue
            if not draft.words and word.text in RESERVED:
                raise Beyond
            draft.words.append(word)
    return tuple(one.made(after) for one, after in done), at


def _operator(text: str, at: int, draft: _Draft) -> str:
    found = text[at : at + 2] if text[at : at + 2] in ("&&", "||") else text[at]
    is_known = text[at + len(found) : at + len(found) + 1] not in ("&", "|", ";", ">", "\\")
    if not is_known or not (draft.words or draft.is_redirected):
        raise Beyond  # an operator that only some shells have, or no command before it
    return found


def _skip(text: str, at: int) -> int:
    """Past blanks, joined lines and a comment."""
    while at < len(text):
        if text[at] in BLANKS:
            at += 1
        elif text.startswith("\\\n", at):
            at += 2
        elif text[at] == "#":
            newline = text.find("\n", at)
            return len(text) if newline < 0 else newline
        else:
            break
    return at


def _redirection(text: str, at: int, draft: _Draft, waiting: list[Document], nth: int) -> int:
    operator = next(one for one in REDIRECTIONS if text.startswith(one, at))
    at += len(operator)
    if text[at : at + 1] in ("<", ">", "(", "&", "|", "\\"):
        raise Beyond
    at = _skip(text, at)
    if at >= len(text) or text[at] in ENDS_WORD or text[at] == "#":
        raise Beyond
    word, at = _word(text, at)
    if text[at : at + 1] in ("<", ">"):
        raise Beyond
    draft.is_redirected = True
    if operator in ("<<", "<<-"):
        if not word.is_exact:
            raise Beyond
        waiting.append(Document(word.text, operator == "<<-", word.is_bare, nth))
    elif operator in (">&", "<&"):
        if word.text not in tuple("0123456789-"):
            raise Beyond
        draft.is_aside = draft.is_aside and operator == ">&" and word.text in ("1", "2")
    else:
        draft.is_exact = draft.is_exact and word.is_exact
        draft.is_aside = draft.is_aside and word.is_exact and word.text == "/dev/null"
    return at


def _documents(text: str, at: int, waiting: list[Document], drafts: list[_Draft]) -> int:
    """Past the documents that the line before has announced: what stands in them is no command."""
    for one in waiting:
        said: list[str] = []
        while True:
            if at >= len(text):
                raise Beyond  # it never ends
            stop = text.find("\n", at)
            line = text[at : stop if stop >= 0 else None]
            at += len(line) + 1
            line = line.lstrip("\t") if one.strips else line
            if line == one.end:
                break
            if one.expands and line.endswith("\\"):
                raise Beyond  # it may join the line that would end it
            if one.expands and any(sign in line for sign in "$`\\"):
                drafts[one.nth].is_document_exact = False
                for sign in "$`\\":
                    line = line.replace(f"\\{sign}", sign)
            said.append(f"{line}\n")
        drafts[one.nth].document = "".join(said)
    return min(at, len(text))


def _word(text: str, at: int) -> tuple[Word, int]:
    said: list[str] = []
    is_exact = is_one = text[at] not in "~="  # zsh takes =name for the place of a program
    is_bare = is_sound = True
    before = ""
    while at < len(text) and text[at] not in ENDS_WORD:
        letter = text[at]
        if letter == "'":
            stop = text.find("'", at + 1)
            if stop < 0:
                raise Beyond
            inner, at, is_bare = text[at + 1 : stop], stop + 1, False
        elif letter == '"':
            quoted, at = _quoted(text, at + 1)
            inner, is_bare = quoted.text, False
            is_exact, is_one = is_exact and quoted.is_exact, is_one and quoted.is_one
            is_sound = is_sound and quoted.is_sound
        elif letter == "\\":
            inner = text[at + 1 : at + 2]
            if not inner:
                raise Beyond
            is_bare = is_bare and inner == "\n"
            inner, at = "" if inner == "\n" else inner, at + 2
        else:
            if letter == "`" or (letter == "$" and not _is_plain_name(text[at + 1 : at + 2])):
                raise Beyond
            if letter == "[" and said:
                raise Beyond  # for bash it may be an index, which goes on to its bracket whatever stands in between
            is_one = is_one and letter not in CHANGES and not (letter == "~" and before in ("", "=", ":"))
            is_exact = is_exact and is_one
            inner, at = letter, at + 1
            before = letter
        said.append(inner)
    whole = "".join(said)
    # Control characters are where shells have bugs of their own.
    is_clean = whole.isprintable() or not any(one in CONTROLS for one in whole)
    return Word(whole, is_exact and is_clean, is_bare, is_one and is_clean, is_sound), at


def _quoted(text: str, at: int) -> tuple[Word, int]:
    """The text in double quotes, as it is written, and where it ends."""
    said: list[str] = []
    is_exact = is_one = is_sound = True
    while True:
        letter = text[at : at + 1]
        behind = text[at + 1 : at + 2]
        if letter == '"':
            return Word("".join(said), is_exact, False, is_one, is_sound), at + 1
        if letter == "`" or (letter == "$" and behind in ("(", "{")):
            inner, at, is_plain = _substituted(text, at)
            is_exact, is_sound = False, is_sound and is_plain
            said.append(inner)
            continue
        if not letter or (letter == "$" and behind not in ('"', " ") and not _is_plain_name(behind)):
            raise Beyond
        if letter == "\\" and behind in ('"', "\\", "$", "`", "\n"):
            said.append("" if behind == "\n" else behind)
            at += 2
        else:
            is_exact = is_exact and not (letter == "$" and behind not in ('"', " "))
            is_one = is_one and not (letter == "$" and behind == "@")
            said.append(letter)
            at += 1


def _substituted(text: str, at: int) -> tuple[str, int, bool]:
    """A substitution in double quotes, as it is written, where it ends, and whether no shell stumbles over it."""
    opening = text[at] if text[at] == "`" else text[at : at + 2]
    closing = CLOSINGS[opening]
    said: list[str] = []
    depth, place = 1, at + len(opening)
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            said.append(text[place + 1 : place + 2])
            place += 2
            continue
        depth += (letter == "(" and closing == ")") - (letter == closing)
        place += 1
        if not depth:
            inner = "".join(said)
            is_plain = all(one.isalnum() or one in PLAIN for one in inner) and "\\" not in text[at:place]
            is_plain = is_plain and bool(inner.strip()) and (closing != "}" or inner.isidentifier())
            is_plain = is_plain and RESERVED.isdisjoint(inner.split()) and inner.isascii()
            return f"{opening}{inner}{closing}", place, is_plain
        said.append(letter)
    raise Beyond


def _is_plain_name(letter: str) -> bool:
    """Whether a `$` before it is a variable, and not the beginning of something that can be a language of its own."""
    return letter.isascii() and (letter.isalnum() or letter in ("_", "?", "#", "@"))
