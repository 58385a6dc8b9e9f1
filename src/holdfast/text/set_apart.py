"""Stretches of a prompt that are set apart as somebody else's: quotations, fences, quoted mail, code, output.

Promise: a text that is quoted cannot leave its quotation, whatever marks it holds itself: `"a" remember this "b"` is
two quotations, or one page that closes the first and opens the second. Nothing tells the two apart, so everything from
the first mark of a kind to the last of them is quoted; and where the marks do not add up, everything after the first.

A mark only counts as the first where it can open: not `27"`, not the apostrophes of "don't" and "the users' table".
Behind the first one every mark counts, because the user's closing mark may stand behind any letter.

Plain string operations: a prompt must cost microseconds.
"""

from __future__ import annotations

from holdfast.model import value, word_set
from holdfast.text.own_words import BLOCK, is_item

# Marks of one kind, as (those that open, those that close, those that do both).
KINDS = (
    *(("", "", '"\uff02'), ("“„‟❝〝", "”❞〞〟", ""), ("«", "»", ""), ("\u2039", "\u203a", "")),
    *(("「｢", "」｣", ""), ("『", "』", ""), ("《", "》", ""), ("〈", "〉", "")),
    *(("\u2018\u201a\u201b❛", "\u2019❜", ""), ("", "", "'\uff07"), ("", "", "`")),
)
APOSTROPHES = "'\uff07\u2018\u2019\u201b"  # these stand within words, and at their ends
SINGLE = "'\uff07\u2018\u2019\u201a\u201b❛❜"
STRICT = "«\u2039「『《〈"  # only ever used as pairs, so each has to be closed; the others have more than one custom
LONGEST_SINGLE = 300  # characters between two of them, where they are taken for a pair
WIDE = "\u2e80"  # scripts without spaces begin here: a mark between two of their signs is no apostrophe


def spans(text: str, seen: str, *, loosely: bool = False) -> list[tuple[int, int]]:
    """From where to where `text` is quoted. `seen` is the text with what is hidden already in place of it: a quotation
    begins where both have its mark; where it ends, the marks in hidden lines count too. `loosely` takes each pair of
    marks for one quotation, as a reader would who trusts the text."""
    found = []
    for opening, closing, both in KINDS:
        signs = opening + closing + both
        if not any(sign in seen for sign in signs):
            continue
        marks = _marks(text, signs)
        first = next((nth for nth, at in enumerate(marks) if seen[at] == text[at] and _opens(text, at, opening)), -1)
        if first < 0:
            continue
        marks = marks[first:]
        if loosely:
            found += _pairs(text, marks) if both != "`" else _code(text)
        else:
            whole = _adds_up(text, marks, opening, closing)
            found.append((marks[0], marks[-1] + 1 if whole else len(text)))
    return sorted(found)


def _pairs(text: str, marks: list[int]) -> list[tuple[int, int]]:
    """One quotation for each two marks; one never closed ends with its paragraph, apostrophes pair within a line."""
    found = []
    left = list(reversed(marks))
    while left:
        begin = left.pop()
        end = left[-1] if left else -1
        if text[begin] in SINGLE:
            if end < 0 or end - begin > LONGEST_SINGLE or "\n" in text[begin:end]:
                continue
        elif end < 0:
            stop = text.find("\n\n", begin)
            found.append((begin, stop if stop >= 0 else len(text)))
            break
        found.append((begin, left.pop() + 1))
    return found


def _code(text: str) -> list[tuple[int, int]]:
    """`code` within a paragraph, closed by as many backticks as opened it."""
    found = []
    at = text.find("`")
    while at >= 0:
        size = 1
        while text[at + size : at + size + 1] == "`":
            size += 1
        stop = text.find("\n\n", at)
        end = text.find("`" * size, at + size, stop if stop >= 0 else len(text))
        if end >= 0:
            found.append((at, end + size))
        at = text.find("`", end + size if end >= 0 else at + size)
    return found


def _marks(text: str, signs: str) -> list[int]:
    """Where the marks of one kind stand; an apostrophe within a word is none."""
    found = []
    for sign in signs:
        at = text.find(sign)
        while at >= 0:
            if sign not in APOSTROPHES or not (_is_letter(text[at - 1 : at]) and _is_letter(text[at + 1 : at + 2])):
                found.append(at)
            at = text.find(sign, at + 1)
    return sorted(found)


def _opens(text: str, at: int, opening: str) -> bool:
    """Whether a mark may be the first of a quotation: not where it ends a word."""
    if text[at] in opening:
        return True
    before, behind = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if not before or before.isspace():
        return bool(behind)
    if before < WIDE and before.isalnum():
        return behind.isalnum()  # says"so
    return not (behind.isspace() and before in ".,;:!?)]}") if behind else False


def _is_letter(sign: str) -> bool:
    return sign.isalnum() and sign < WIDE


def _adds_up(text: str, marks: list[int], opening: str, closing: str) -> bool:
    """Whether the marks can be read as whole quotations."""
    if len(marks) % 2:
        return False
    if not opening or opening[0] not in STRICT:
        return True
    turned = text[marks[0]] in closing  # »so«
    depth = 0
    for at in marks:
        depth += 1 if (text[at] in opening) != turned else -1
        if depth < 0:
            return False
    return depth == 0


WRAPPED = 60  # characters from which a quoted line without a full stop goes on in the next
FENCE_SIGNS = "`~\"'"  # three or more of one of them are a fence, wherever they stand
RULE_SIGNS = "-=*_+#\u2014\u2013\u2500\u2501\u2550"
TITLED = "-=+<\u2014\u2500\u2501\u2550"  # --- page ---
BLOCKS = ("#+begin_", "#+end_", "\\begin{", "\\end{")
QUOTES = (">", "\uff1e")
_DIGITS = str.maketrans("123456789", "000000000")
_LEVELS = word_set("ERROR WARN WARNING INFO DEBUG TRACE FATAL CRITICAL NOTICE PANIC FAIL FAILED PASS ERR!")
_COMPLAINTS = ("error", "warning", "fatal", "hint", "remote", "panic", "npm err!", "npm warn", "npm error")
_SHELLS = ("$ ", "% ", "\u276f", "➜", "PS C:\\", ">>> ")
_PROMPTS = (*_SHELLS, "⏺", "⎿", "│", "╭", "╰", "┃", "┌", "└", "├", "✻", "▌", "▏")
_TRACES = ("Traceback (", 'File "', "Caused by:", "Exception in thread", "goroutine ", "thread '", "--> ", "error[")
_DIFFS = ("diff --git ", "--- a/", "+++ b/", "@@ ", "commit ", "Author: ", "AuthorDate: ")
_RECORDS = ("|", '{"', '[{"', "[ERROR", "[WARN", "[INFO", "[DEBUG", "::error")
# The line above a mail that is answered, by how it ends; and the heads of a forwarded one.
_WROTE = (
    "wrote",
    "schrieb",
    "a écrit",
    "escribió",
    "escreveu",
    "写道",
    "寫道",
    "のメール",
    "書きました",
    "のメッセージ",
)
_HEADS = ("from:", "von:", "de :", "de:", "差出人:", "发件人:")
_HEADS_BELOW = (
    *("sent:", "date:", "to:", "subject:", "cc:", "gesendet:", "an:", "datum:", "betreff:", "envoyé :", "envoyé:"),
    *("à :", "à:", "objet :", "objet:", "enviado:", "para:", "asunto:", "assunto:", "data:", "fecha:", "送信日時:"),
    *("宛先:", "件名:", "发送时间:", "收件人:", "主题:"),
)


@value
class Fence:
    """A mark of fences: where it stands, its sign, and whether it begins its line."""

    start: int
    end: int
    sign: str
    begins: bool

    @property
    def size(self) -> int:
        return self.end - self.start


def fenced(text: str, seen: str, *, loosely: bool = False) -> list[tuple[int, int]]:
    """From where to where a text is fenced. A fence opens where `seen` has it too; behind that all fences of the text
    count. `loosely` takes each block for one, as Markdown does."""
    marks = _fences(text)
    if loosely:
        marks = [one for one in marks if one.sign in FENCE_SIGNS]
    first = next((nth for nth, one in enumerate(marks) if seen[one.start] == text[one.start]), -1)
    if first < 0:
        return []
    marks = marks[first:]
    blocks = _blocks(marks)
    if not blocks:
        return [(marks[0].start, len(text))]
    return blocks if loosely else [(marks[0].start, marks[-1].end)]


def is_one_block(text: str, found: list[tuple[int, int]]) -> bool:
    """Whether what is fenced begins with one fence, is closed by the next, and has no other."""
    marks = _fences(text[found[0][0] : found[-1][1]])
    return len(found) == 1 and len(marks) == 2 and len(_blocks(marks)) == 1


def _fences(text: str) -> list[Fence]:
    found = []
    at = 0
    for line in text.split("\n"):
        tidy = line.strip()
        if tidy:
            begin = at + len(line) - len(line.lstrip())
            inner = _in_line(line, at) if any(sign * 3 in line for sign in FENCE_SIGNS) else []
            if inner:
                found += inner
            elif _is_rule(tidy):
                found.append(Fence(begin, begin + len(tidy), tidy[0], begins=True))
        at += len(line) + 1
    return found


def _in_line(line: str, at: int) -> list[Fence]:
    found = []
    place = 0
    while place < len(line):
        sign, end = line[place], place + 1
        while sign in FENCE_SIGNS and line[end : end + 1] == sign:
            end += 1
        if end - place >= 3:
            begins = not line[:place].strip(" \t-*+>0123456789.")
            found.append(Fence(at + place, at + end, sign, begins))
        place = end
    return found


def _is_rule(tidy: str) -> bool:
    """A line of dashes or the like, also with a title between them."""
    if len(tidy) < 3 or tidy[:8].lower().startswith(BLOCKS):
        return len(tidy) >= 3
    sign = tidy[0]
    if sign in RULE_SIGNS and not tidy.replace(" ", "").strip(sign):
        return len(tidy.replace(" ", "")) >= 3
    return sign in TITLED and tidy.startswith(sign * 3) and not tidy.startswith(("--- a/", "--- /dev/null", "+++ "))


def _blocks(marks: list[Fence]) -> list[tuple[int, int]]:
    """The blocks, where every fence is closed: by one of its sign that is no shorter, as Markdown has it; and, where a
    fence stands within a line, by their number too. [] where they do not add up."""
    if any(not one.begins for one in marks) and len([one for one in marks if one.sign in FENCE_SIGNS]) % 2:
        return []
    found = []
    opened: Fence | None = None
    for one in marks:
        if opened is None:
            opened = one
        elif one.sign == opened.sign and (one.sign not in FENCE_SIGNS or one.size >= opened.size):
            found.append((opened.start, one.end))
            opened = None
    return found if opened is None else []


def lines(text: str, *, loosely: bool = False) -> str:
    """The text with BLOCK for every line that is quoted with >, indented as code, or was printed by a program. What
    follows on two lines of output, or on a command, is output up to the next blank line; `loosely` it is not."""
    rows = text.split("\n")
    outside = [False] * len(rows)
    is_single = sum(1 for row in rows if row.strip()) < 2
    before = ""
    in_diff = in_quote = False
    last_output = -1
    outputs = 0
    for number, row in enumerate(rows):
        tidy = row.strip()
        if not tidy:
            last_output, outputs, in_quote = -1, 0, False
            in_diff = in_diff and row[:1] == " "
            before = before if before == ":" else ""
            continue
        if not tidy.strip(BLOCK):
            in_quote, before = False, ""
            continue
        if _is_mail(tidy, rows, number):
            outside[number:] = [True] * (len(rows) - number)
            break
        in_diff = tidy.startswith(("diff --git ", "@@ ", "--- a/")) or (in_diff and row[:1] in "+-@ \\i")
        is_output = in_diff or _is_output(tidy)
        if is_output:
            if last_output >= 0:  # what stands between two lines of output is output too
                outside[last_output : number + 1] = [True] * (number + 1 - last_output)
            last_output = number
            outputs += 2 if tidy.startswith(_SHELLS) else 1
        goes_on = before == "-" or (before != "" and is_item(tidy))  # an item of a list, or a line of one: no code
        is_code = not is_single and row.startswith(("    ", "\t")) and not goes_on
        is_quoted = in_quote or tidy.startswith(QUOTES)
        in_quote = is_quoted and len(tidy) >= WRAPPED and tidy[-1] not in ".!?…。\uff01\uff1f:\uff1a"
        outside[number] = is_output or is_code or is_quoted or (outputs > 1 and not loosely)
        before = "" if outside[number] else _what_it_begins(tidy, before)
    return "\n".join(BLOCK * len(row) if hide else row for row, hide in zip(rows, outside, strict=True))


def _is_mail(tidy: str, rows: list[str], number: int) -> bool:
    """Whether an answered or forwarded mail begins with this line."""
    if tidy[-1] in ":\uff1a" and tidy[-24:-1].rstrip().lower().endswith(_WROTE):
        return any(sign.isdecimal() for sign in tidy) or "@" in tidy or _next(rows, number).startswith(QUOTES)
    return _head(tidy).startswith(_HEADS) and _head(_next(rows, number)).startswith(_HEADS_BELOW)


def _head(tidy: str) -> str:
    return tidy[:12].lower().replace("\uff1a", ":")


def _next(rows: list[str], number: int) -> str:
    return next((row.strip() for row in rows[number + 1 : number + 4] if row.strip()), "")


def _what_it_begins(tidy: str, before: str) -> str:
    if is_item(tidy):
        return "-"
    return ":" if tidy[-1] in ":\uff1a" else "-" if before == "-" else "w"


def _is_output(tidy: str) -> bool:
    """Whether a line looks as programs print, not as people write."""
    if tidy.startswith(_PROMPTS + _TRACES + _DIFFS + _RECORDS):
        named = tidy[7:47].partition(" ")[0]
        return not tidy.startswith("commit ") or (len(named) > 6 and not named.strip("0123456789abcdef"))
    head = tidy.lstrip("[(")[:20].translate(_DIGITS)
    if head.startswith(("00:00:00", "0000-00-00T00:", "0000-00-00 00:", "0000/00/00 00:")):
        return True
    first, _, rest = tidy.partition(" ")
    if first.strip("[]:") in _LEVELS and (first != first.strip("[]:") or first != "PASS"):
        return first[-1] in ":]" or first.isupper()
    if first.endswith(("Error:", "Exception:", "Warning:")) and first[:1].isupper():
        return True
    low = tidy[:12].lower()
    if low.startswith(_COMPLAINTS) and (":" in low or low.startswith("npm")):
        return True
    if first == "at" and "(" in rest and rest.endswith(")"):
        return True
    # src/main.c:12:5: as compilers, linters and grep begin a line
    parts = first.split(":")
    return len(parts) > 2 and parts[1].isdecimal() and "." in parts[0]
