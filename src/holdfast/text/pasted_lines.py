"""Which lines of a prompt are pasted or set apart as somebody else's: fences, rules, quoted mail, code, output.

Promise: what stands between fences cannot leave them by fences of its own. From the first to the last fence of a prompt
everything is fenced, also the words between two blocks, because a pasted page may have closed the one and opened the
other; and where fences do not add up, everything after the first. Lines of dashes, and lines like "=== page ===", count
as fences. Below the heading of an answered mail everything is that mail.

Everything is one pass of plain string operations (no `re`: a prompt must cost microseconds).
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.text.own_words import BLOCK, is_item

WRAPPED = 60  # characters from which a quoted line without a full stop goes on in the next
FENCE_SIGNS = "`~\"'"  # three or more of one of them are a fence, wherever they stand
RULE_SIGNS = "-=*_+#\u2014\u2013\u2500\u2501\u2550"
TITLED = "-=+<\u2014\u2500\u2501\u2550"  # --- page ---
BLOCKS = ("#+begin_", "#+end_", "\\begin{", "\\end{")
QUOTES = (">", "\uff1e")
_DIGITS = str.maketrans("123456789", "000000000")
_LEVELS = frozenset(
    (
        *("ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "CRITICAL", "NOTICE", "PANIC", "FAIL"),
        *("FAILED", "PASS", "ERR!"),
    )
)
_COMPLAINTS = ("error", "warning", "fatal", "hint", "remote", "panic", "npm err!", "npm warn", "npm error")
_SHELLS = ("$ ", "% ", "\u276f", "➜", "PS C:\\", ">>> ")
_PROMPTS = (*_SHELLS, "⏺", "⎿", "│", "╭", "╰", "┃", "┌", "└", "├", "✻", "▌", "▏")
_TRACES = ("Traceback (", 'File "', "Caused by:", "Exception in thread", "goroutine ", "thread '", "--> ", "error[")
_DIFFS = ("diff --git ", "--- a/", "+++ b/", "@@ ", "commit ", "Author: ", "AuthorDate: ")
_RECORDS = ("|", '{"', '[{"', "[ERROR", "[WARN", "[INFO", "[DEBUG", "::error")
# The line above a mail that is answered, by how it ends; and the heads of a forwarded one.
_WROTE = (
    *("wrote", "schrieb", "a écrit", "escribió", "escreveu", "写道", "寫道"),
    *("のメール", "書きました", "のメッセージ"),
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
    size = len(line)
    while place < size:
        sign = line[place]
        end = place + 1
        if sign in FENCE_SIGNS:
            while end < size and line[end] == sign:
                end += 1
            if end - place >= 3:
                begins = not line[:place].strip(" \t-*+>0123456789.")
                found.append(Fence(at + place, at + end, sign, begins))
        place = end
    return found


def _is_rule(tidy: str) -> bool:
    """A line of dashes or the like, also with a title between them."""
    if len(tidy) < 3:
        return False
    low = tidy[:8].lower()
    if low.startswith(BLOCKS):
        return True
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
            in_quote = False
            before = ""
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
        is_code = not is_single and row.startswith(("    ", "\t")) and not _goes_on(tidy, before)
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


def _goes_on(tidy: str, before: str) -> bool:
    """Whether an indented line is an item of a list, or goes on with one, and is no code."""
    return before == "-" or (before != "" and is_item(tidy))


def _is_output(tidy: str) -> bool:
    """Whether a line looks as programs print, not as people write."""
    if tidy.startswith(_PROMPTS + _TRACES + _DIFFS + _RECORDS):
        return not tidy.startswith("commit ") or _is_hash(tidy[7:47].split(" ", maxsplit=1)[0])
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


def _is_hash(word: str) -> bool:
    return len(word) > 6 and not word.strip("0123456789abcdef")
