"""The files that a command line writes to, as far as its words say: redirections, tee, cp, mv, sed -i and -o.

Nothing is run and nothing is guessed: a word that the shell would change (variables, globs, substitutions) is left out,
and so is what stands in quotes or in a here-document.
"""

from __future__ import annotations

from holdfast.text import shell_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHANGED = "$`*?{}[]~"
LAST = ("cp", "mv", "install")  # write to their last word
EACH = ("tee", "touch")  # write to every word
OUTPUTS = ("-o", "--output", "--out", "--outfile", "--output-file")
LONGEST = 1 << 14
MOST = 32


def of(command: str) -> list[str]:
    """In their order, each once."""
    line = _without_documents(command[:LONGEST])
    found = dict.fromkeys((*_redirected(line), *_named(line)))
    return [word for word in found if word and not any(sign in word for sign in CHANGED)][:MOST]


def _named(line: str) -> Iterator[str]:
    for words in shell_programs.commands(line):
        program, rest = words[0].rpartition("/")[2], words[1:]
        plain = [word for word in rest if not word.startswith("-")]
        if program in EACH:
            yield from plain
        elif (program in LAST and len(plain) > 1) or (program == "sed" and any(word[:2] == "-i" for word in rest)):
            yield plain[-1] if plain else ""
        for at, word in enumerate(rest):
            if word in OUTPUTS:
                yield rest[at + 1] if at + 1 < len(rest) else ""
            elif word.partition("=")[0] in OUTPUTS:
                yield word.partition("=")[2]


def _redirected(line: str) -> Iterator[str]:
    quote = ""
    at = 0
    while at < len(line):
        letter = line[at]
        if letter == "\\":
            at += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == ">":
            at += 1 + (line[at + 1 : at + 2] in (">", "|"))
            if line[at : at + 1] in ("&", "("):
                continue
            word, at = _word(line, at)
            if word and not word.startswith("/dev/"):
                yield word
            continue
        at += 1


def _word(line: str, at: int) -> tuple[str, int]:
    """The next word, without its quotes, and where it ends."""
    while line[at : at + 1] in (" ", "\t"):
        at += 1
    word, quote = "", ""
    while at < len(line) and (quote or line[at] not in " \t\n;&|()<>"):
        letter = line[at]
        if quote or letter not in "'\"":
            word += "" if letter == quote else letter
            quote = "" if letter == quote else quote
        else:
            quote = letter
        at += 1
    return word, at


def _without_documents(text: str) -> str:
    """A command without the lines of its here-documents."""
    if "<<" not in text:
        return text
    kept: list[str] = []
    end = ""
    for line in text.split("\n"):
        if end:
            end = "" if line.strip("\t") == end else end
            continue
        kept.append(line)
        begin = line.find("<<")
        if begin >= 0 and line[begin + 2 : begin + 3] != "<":
            end = _word(line, begin + 2 + (line[begin + 2 : begin + 3] == "-"))[0].lstrip("\\")
    return "\n".join(kept)
