"""The one reader of front matter: hook and vault judge a file by the same words.

Promise: whatever is read here a YAML parser reads the same, and whatever is refused here is refused everywhere, so no
file is a rule for one and damaged for the other. It knows the YAML that people write in front matter: keys and values,
quotes, comments, folded lines, lists and tables of either form. Anchors, tags, two keys of one name and whatever else
can be read in two ways make the file damaged, which is said: a second `origin` or `status` would let a file be trusted
by one reader and not by the other (vault/front_matter_edits holds it against YAML). Text that runs over several lines
comes with its blanks as one; vault/front_matter_edits has it exactly.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FENCE = "---"
LONGEST = 64 * 1024
DEEPEST, LONGEST_KEY = 40, 200  # levels; characters
SIGNS = frozenset(",[]{}#&*!|>'\"%@`")  # no plain text begins with one
WORDS: dict[str, bool | None] = dict.fromkeys(("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True)
WORDS |= dict.fromkeys(("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False)
WORDS |= dict.fromkeys(("", "~", "null", "Null", "NULL"))
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
ESCAPES.update({"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", " ": " ", '"': '"', "\\": "\\", "/": "/"})
WIDTHS = {"x": 2, "u": 4, "U": 8}
ODD = "\u2028\u2029\ufeff\ufffe\uffff"  # line breaks to some, a byte order mark, no characters
BLANKS = ("", " ", "\t")  # behind a sign that counts
ENDS = (*BLANKS, "\n", *",[]{}")  # the same, in brackets


class Damaged(Exception):
    """Front matter that is none; `line` is where in the file, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def place(text: str) -> tuple[int, int]:
    """The places at which the front matter and its closing fence begin. Raises Damaged."""
    start = 1 if text.startswith("\ufeff") else 0
    line, newline, _ = text[start:].partition("\n")
    if line.rstrip() != FENCE or not newline:
        raise Damaged(1, "there is no front matter; the first line should be ---")
    at = start = start + len(line) + 1
    for line in text[start:].split("\n"):
        if line.rstrip() == FENCE:
            return start, at
        at += len(line) + 1
    raise Damaged(1, "the front matter is never closed; a line with --- is missing")


def read(text: str) -> tuple[dict[str, Any], str]:
    """The fields and the body of a text. Raises Damaged."""
    start, end = place(text)
    after = text.find("\n", end)
    return fields(text[start:end]), text[after + 1 :] if after >= 0 else ""


def fields(source: str) -> dict[str, Any]:
    """The fields between the fences. Raises Damaged."""
    if len(source) > LONGEST:
        raise Damaged(1, f"the front matter has {len(source):,} characters, {LONGEST:,} is the most")
    if "\r" in source:  # a caller may have made line ends one before us
        source = "\n".join(line.rstrip("\r") for line in source.split("\n"))
    _refuse_letters(source)
    for number, text in enumerate(source.split("\n"), 2) if FENCE in source or "..." in source else ():
        if text[:3] in (FENCE, "...") and text[3:4] in BLANKS:
            raise Damaged(number, f"a line that begins with {text[:3]} ends what stands before it")
    return _Reader(source).document()


def _refuse_letters(source: str) -> None:
    if source.isascii() and source.replace("\n", "").replace("\t", "").isprintable():
        return
    for letter in set(source) - set("\n\t"):
        is_half = "\ud800" <= letter <= "\udfff"
        if is_half or letter < " " or "\x7f" <= letter < "\xa0" or letter in ODD:
            line = source.count("\n", 0, source.index(letter)) + 2
            raise Damaged(line, "it is not UTF-8" if is_half else "control characters are not accepted")


def resolved(text: str) -> Any:
    """A plain value: nothing, yes or no, a small number, or the text that it is."""
    if text in WORDS:
        return WORDS[text]
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(text) < 19 and str(int(text)) == text
    return int(text) if is_number else text


def _is_item(line: str) -> bool:
    return line == "-" or line[:2] in ("- ", "-\t")


class _Reader:
    """One pass over the lines. `row` is the line that is looked at next."""

    def __init__(self, source: str) -> None:
        self.lines = source.split("\n")
        self.row = 0

    def fail(self, reason: str) -> Damaged:
        return Damaged(min(self.row, len(self.lines) - 1) + 2, reason)

    def refuse(self, is_wrong: object, reason: str) -> None:
        if is_wrong:
            raise self.fail(reason)

    def document(self) -> dict[str, Any]:
        if not self.skip():
            return {}
        line = self.lines[self.row]
        found = self.flow(line, 1) if line[:1] == "{" else self.table(self.indent(), 1, raw_names=True)
        self.refuse(self.skip(), "something stands behind the table that belongs to nothing")
        self.refuse({"", "None", "True", "False"} & found.keys(), "a key should be a plain word")
        return dict(found)

    def skip(self) -> bool:
        """Go past blank lines and comments; True if a line is left."""
        while self.row < len(self.lines):
            bare = self.lines[self.row].strip(" \t")
            if bare and bare[0] != "#":
                return True
            self.indent()
            self.row += 1
        return False

    def indent(self) -> int:
        line = self.lines[self.row]
        found = len(line) - len(line.lstrip(" "))
        self.refuse(line[found : found + 1] == "\t", "a tab stands where blanks should")
        return found

    def table(self, indent: int, depth: int, first: str = "", *, raw_names: bool = False) -> dict[str, Any]:
        """Lines of `key: value` at one margin; `first` is what the first of them has, behind a list's dash."""
        self.refuse(depth > DEEPEST, "nested too deeply")
        found: dict[str, Any] = {}
        while first or self.skip():
            if not first:
                margin = self.indent()
                if margin < indent:
                    break
                self.refuse(margin > indent, "this line is set in, and belongs to nothing")
            parts = self.key(first or self.lines[self.row][indent:])
            first = ""
            if parts is None:
                raise self.fail("it should be lines of `key: value`")
            name = parts[0] if raw_names else str(resolved(parts[0]) if parts[2] else parts[0])
            self.refuse(name in found, f"the key {name} stands there twice")
            found[name] = self.value(parts[1], indent, depth, in_list=False)
        return found

    def key(self, line: str) -> tuple[str, str, bool] | None:
        """The name, the text behind the colon, and True if the name is without quotes; None where there is no key."""
        if line[:1] in ("'", '"'):
            try:
                name, end = self.quoted(line, 0)
            except Damaged:
                return None
            rest = line[end:].lstrip(" \t")
            if rest[:1] != ":" or rest[1:2] not in BLANKS:
                return None
            self.refuse(not name.strip() or len(line) - len(rest) > LONGEST_KEY, "a key should be a plain word")
            return name, rest[1:], False
        at = line.find(":")
        while at >= 0 and line[at + 1 : at + 2] not in BLANKS:
            at = line.find(":", at + 1)
        if at < 0:
            return None
        name = line[:at].rstrip(" \t")
        is_word = name and name[0] not in SIGNS and name[0] not in "-?:=<" and not set("#:\t") & set(name)
        self.refuse(not is_word or len(name) > LONGEST_KEY, "a key should be a plain word")
        return name, line[at + 1 :], True

    def value(self, rest: str, indent: int, depth: int, *, in_list: bool) -> Any:
        rest = rest.strip(" \t")
        if not rest or rest[0] == "#":
            self.row += 1
            return self.below(indent, depth, in_list=in_list)
        if rest[0] in "|>":
            return self.block(rest, indent)
        if rest[0] in "[{":
            return self.flow(rest, depth + 1)
        if rest[0] in "'\"":
            return self.lines_of_quoted(rest, indent)
        return self.plain(rest, indent)

    def below(self, indent: int, depth: int, *, in_list: bool) -> Any:
        """A value that stands on the lines below its key or dash; nothing where these are set in no further."""
        if not self.skip():
            return None
        margin = self.indent()
        line = self.lines[self.row][margin:]
        if _is_item(line) and (margin > indent or (margin == indent and not in_list)):
            return self.items(margin, depth + 1)
        if margin <= indent:
            return None
        self.refuse(line[0] in "|>", "a text in lines begins behind its key")
        is_table = self.key(line) is not None
        return self.table(margin, depth + 1) if is_table else self.value(line, indent, depth, in_list=in_list)

    def items(self, indent: int, depth: int) -> list[Any]:
        self.refuse(depth > DEEPEST, "nested too deeply")
        found: list[Any] = []
        while self.skip():
            margin = self.indent()
            line = self.lines[self.row][margin:]
            if margin < indent or (margin == indent and line != "-" and line[:2] != "- "):
                break
            self.refuse(margin > indent, "this line is set in, and belongs to nothing")
            rest = line[1:].lstrip(" ")
            self.refuse(_is_item(rest), "nested too deeply: a list that begins within the line of another")
            self.refuse(rest[:1] == "\t", "a tab stands where blanks should")
            if rest and rest[0] not in "#[{|>" and self.key(rest):
                found.append(self.table(margin + len(line) - len(rest), depth + 1, rest))
            else:
                found.append(self.value(rest, indent, depth, in_list=True))
        return found

    def plain(self, first: str, indent: int) -> Any:
        """Text without quotes, which goes on in lines that are set in further."""
        if first[0] in SIGNS or (first[0] in "-?:" and first[1:2] in BLANKS):
            self.refuse(first[0] in "&*", "anchors and aliases are not accepted")
            raise self.fail(f"a value that begins with {first[0]} needs quotes")
        text, is_over = self.until_comment(first)
        parts = [text]
        self.row += 1
        if self.row < len(self.lines) and self.lines[self.row][:1] not in ("", " ", "\t", "#"):
            return resolved(text)  # the usual case: the next key
        while self.row < len(self.lines):
            bare = self.lines[self.row].strip(" \t")
            margin = self.indent()
            if not bare or bare[0] == "#":
                is_over = is_over or bool(bare)
            elif margin <= indent:
                break
            else:
                self.refuse(is_over, "a text goes on behind a comment")
                text, is_over = self.until_comment(bare)
                parts.append(text)
            self.row += 1
        return resolved(parts[0]) if len(parts) == 1 else " ".join(parts)

    def until_comment(self, line: str) -> tuple[str, bool]:
        at = line.find("#")
        while at > 0 and line[at - 1] not in " \t":
            at = line.find("#", at + 1)
        text = line if at < 0 else line[:at]
        if at < 0 and ":" not in text:
            return text, False
        text = text.strip(" \t")
        is_key = text[-1:] == ":" or ": " in text or ":\t" in text
        self.refuse(is_key, "a value with a colon and a blank in it needs quotes")
        return text, at >= 0

    def block(self, head: str, indent: int) -> str:
        """Text in lines, behind | or >."""
        sign, _, comment = head[1:].partition(" ")
        self.refuse(comment.strip(" \t")[:1] not in ("", "#"), "something stands behind the sign of a text in lines")
        self.refuse(sign not in ("", "+", "-"), "a text in lines says how far it is set in, which is not accepted")
        self.row += 1
        parts: list[str] = []
        margin = widest = 0
        while self.row < len(self.lines):
            line = self.lines[self.row]
            blanks = len(line) - len(line.lstrip(" "))
            if blanks == len(line):
                widest = max(widest, 0 if margin else blanks)
            elif blanks <= indent or (margin and blanks < margin):
                break
            else:
                margin = margin or blanks
                self.refuse(widest > margin, "a blank line is set in further than the text below it")
                parts.append(line[margin:])
            self.row += 1
        return " ".join(" ".join(parts).split())

    def lines_of_quoted(self, rest: str, indent: int) -> str:
        text = "\n".join((rest, *self.lines[self.row + 1 :]))
        said, end = self.quoted(text, 0)
        for line in text[:end].split("\n")[1:]:
            blanks = len(line) - len(line.lstrip(" "))
            is_out = line.strip(" ") and (blanks <= indent or line[blanks] == "\t")
            self.refuse(is_out, "the lines of a text in quotes are set in")
        self.leave(text, end)
        return " ".join(said.split()) if "\n" in text[:end] else said

    def leave(self, text: str, end: int) -> None:
        """Go on below what ended here; only a comment may stand behind it."""
        rest = text[end:].partition("\n")[0]
        bare = rest.strip(" \t")
        self.refuse(bare and (bare[0] != "#" or rest[0] == "#"), "something stands behind the closing sign")
        self.row += text.count("\n", 0, end) + 1

    def quoted(self, text: str, at: int) -> tuple[str, int]:
        """Text in quotes, and where it ends."""
        mark, at = text[at], at + 1
        found: list[str] = []
        while at < len(text):
            letter, width = text[at], 1
            if letter == mark == "'" and text[at + 1 : at + 2] == "'":
                width = 2
            elif letter == mark:
                return "".join(found), at + 1
            elif letter == "\\" and mark == '"':
                letter, width = self.escaped(text, at + 1)
            found.append(letter)
            at += width
        raise self.fail("a text in quotes never ends")

    def escaped(self, text: str, at: int) -> tuple[str, int]:
        """The character that a \\ and what follows it stand for, and how many characters they take."""
        letter = text[at : at + 1]
        width = WIDTHS.get(letter, 0)
        if not width:
            self.refuse(letter not in ESCAPES, "a \\ stands before something that it means nothing to")
            return ESCAPES[letter], 2
        digits = text[at + 1 : at + 1 + width]
        is_number = len(digits) == width and not digits.strip("0123456789abcdefABCDEF")
        number = int(digits, 16) if is_number else -1
        self.refuse(number < 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF, "a \\ names no character")
        return chr(number), 2 + width

    def flow(self, rest: str, depth: int) -> Any:
        """A list or table in brackets, which may go on in the lines below."""
        text = "\n".join((rest, *self.lines[self.row + 1 :]))
        found, end = self.node(text, 0, depth)
        self.leave(text, end)
        return found

    def node(self, text: str, at: int, depth: int) -> tuple[Any, int]:
        self.refuse(depth > DEEPEST, "nested too deeply")
        closing = "]" if text[at] == "[" else "}"
        listed: list[Any] = []
        named: dict[str, Any] = {}
        at = self.past(text, at + 1)
        while text[at : at + 1] != closing:
            if closing == "]":
                one, at = self.part(text, at, depth)
                listed.append(one)
            else:
                name, at = self.name(text, at)
                self.refuse(name in named, f"the key {name} stands there twice")
                at = self.past(text, at)
                named[name], at = (None, at) if text[at : at + 1] in (",", "}") else self.part(text, at, depth)
            at = self.past(text, at)
            if text[at : at + 1] == ",":
                at = self.past(text, at + 1)
            else:
                self.refuse(text[at : at + 1] != closing, f"a list or table in brackets never ends with {closing}")
        return (listed if closing == "]" else named), at + 1

    def name(self, text: str, at: int) -> tuple[str, int]:
        """A key in braces, and the place behind its colon."""
        begin, is_quoted = at, text[at : at + 1] in ("'", '"')
        said, at = self.quoted(text, at) if is_quoted else self.word(text, at)
        line = text[begin:at]
        while text[at : at + 1] in (" ", "\t"):
            at += 1
        is_key = text[at : at + 2] in (": ", ":\n") and "\n" not in line and len(line) <= LONGEST_KEY
        self.refuse(not is_key, "a table in braces has `key: value`, with commas between")
        return str(said if is_quoted else resolved(said)), at + 1

    def part(self, text: str, at: int, depth: int) -> tuple[Any, int]:
        sign = text[at : at + 1]
        if sign in ("[", "{"):
            return self.node(text, at, depth + 1)
        if sign in ("'", '"'):
            said, end = self.quoted(text, at)
            self.refuse("\n" in text[at:end], "a text in quotes ends on its own line, within brackets")
            return said, end
        said, end = self.word(text, at)
        self.refuse(text[end : end + 1] == ":", "a key and value in a list stand in braces")
        return resolved(said), end

    def word(self, text: str, at: int) -> tuple[str, int]:
        """Plain text within brackets: to the next sign of theirs, on one line."""
        begin, first, second = at, text[at : at + 1], text[at + 1 : at + 2]
        is_sign = not first or first in SIGNS or first in "\n?:" or (first == "-" and second in ENDS)
        self.refuse(is_sign, "a value in brackets begins with a sign, and needs quotes")
        while text[at : at + 1] not in ("", "\n", *",[]{}"):
            is_colon = text[at] == ":" and text[at + 1 : at + 2] in ENDS
            if is_colon or (text[at] == "#" and text[at - 1] in " \t"):
                break
            at += 1
        said = text[begin:at].rstrip(" \t")
        after, is_key = self.past(text, at), text[at : at + 1] == ":"
        is_last = text[after : after + 1] in (",", "]", "}")
        self.refuse(not is_key and not is_last, "a value in brackets ends on its own line")
        return said, at if is_key else begin + len(said)

    def past(self, text: str, at: int) -> int:
        """The place of the next sign that is neither blank nor comment."""
        while text[at : at + 1] in (" ", "\t", "\n") or (text[at : at + 1] == "#" and text[at - 1] in " \t\n"):
            end = text.find("\n", at) if text[at] == "#" else at + 1
            at = len(text) if end < 0 else end
        return at
