"""What of a prompt is the user's own: never what is quoted, pasted or injected into it.

Promise: `mask` keeps the length and the places of a prompt, and hides every character that somebody else may have
written. A word in doubt is taken for outside text: an order that is missed can be said again, an order that a web page
slipped into memory under the user's name cannot be told from a real one. So a block reaches to the last closing tag of
its name, an unclosed fence to the end, and an unclosed quotation to the end of its paragraph.

What cannot be told: outside text that was pasted without any mark, line for line like the user's own.

Everything is one pass of plain string operations (no `re`: a prompt must cost microseconds), over at most `LIMIT`
characters of own words.
"""

from __future__ import annotations

LIMIT = 20_000  # characters of own words that are looked at; a longer prompt is a document
INLINE = "\ufffc"  # stands for a character quoted within a sentence
BLOCK = "\0"  # stands for one that no sentence reaches across

# Blocks that hosts, hooks and we ourselves put into a prompt: outside text to the end, should they never be closed.
INJECTED = (
    *("task-notification", "system-reminder", "system_reminder", "holdfast-", "command-", "local-command-", "bash-"),
    *("user-prompt-submit-hook", "hook_context", "hook-context", "environment_context", "user_instructions"),
    *("instructions", "ide_", "new-diagnostics", "function_results", "tool_result", "tool-result", "subagent"),
)
# Prompts that a host writes in the user's place.
WRITTEN_BY_HOSTS = (
    *("this session is being continued from a previous conversation", "caveat: the messages below were generated"),
    *("# agents.md instructions", "stop hook feedback", "base directory for this skill"),
)
NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.:")
LONGEST_TAG = 1000
FENCES = ("```", "~~~")
# Pairs of quotation marks; a mark that opens may close in more than one way.
CLOSING = {"“": "”“", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "《": "》"}
CLOSING.update({"\u2039": "\u203a", "\u201a": "\u2018\u2019", "\u2018": "\u2019"})  # the single ones
OPENS_AFTER = frozenset(" \t\n([{,:;=/—-\0\ufffc\u3000、。\u2013\uff0c\uff1a\uff1b\uff01\uff1f\uff08")
LONGEST_SINGLE = 300  # characters between single quotes; longer is an apostrophe that found another
_DIGITS = str.maketrans("123456789", "000000000")
_LEVELS = frozenset(
    [
        "ERROR",
        "WARN",
        "WARNING",
        "INFO",
        "DEBUG",
        "TRACE",
        "FATAL",
        "CRITICAL",
        "NOTICE",
        "PANIC",
        "FAIL",
        "FAILED",
        "PASS",
        "ERR!",
    ]
)
_COMPLAINTS = ("error", "warning", "fatal", "hint", "remote", "panic", "npm err!", "npm warn", "npm error")
_PROMPTS = ("$ ", "% ", "\u276f", "➜", "⏺", "⎿", "│", "╭", "╰", "┃", "┌", "└", "├", "✻", "PS C:\\")
_TRACES = ("Traceback (", 'File "', "Caused by:", "Exception in thread", "goroutine ", "thread '", "--> ", "error[")
_DIFFS = ("diff --git ", "--- a/", "+++ b/", "@@ ", "commit ", "Author: ", "AuthorDate: ")
_RECORDS = ("|", '{"', '[{"', "[ERROR", "[WARN", "[INFO", "[DEBUG", "::error")


def is_the_hosts(prompt: str) -> bool:
    """Whether a host wrote all of a prompt in the user's place: a notification, a command's output, a summary."""
    start = prompt[:200].lstrip().lower()
    if start.startswith((*WRITTEN_BY_HOSTS, "[request interrupted")):
        return True
    return start.startswith("<") and _name_at(start, 1).startswith(INJECTED) and not own(prompt)


def own(prompt: str) -> str:
    """The prompt without anything that is not the user's own; mentions of files stay."""
    masked = mask(prompt).replace(INLINE, "")
    lines = [line.replace(BLOCK, "").rstrip() for line in masked.split("\n") if line.strip(BLOCK) or not line]
    return "\n".join(lines).strip()


def mask(prompt: str) -> str:
    """The prompt, character for character, with BLOCK and INLINE in place of what is not the user's own."""
    start = prompt[:200].lstrip().lower()
    if start.startswith(WRITTEN_BY_HOSTS):
        return BLOCK * len(prompt)
    text = _without_lines(_without_tags(prompt))
    return _without_quotes(_without_code(_capped(text)))


def _hidden(text: str, spans: list[tuple[int, int]], with_what: str) -> str:
    """Line breaks stay: they are no words."""
    if not spans:
        return text
    parts = []
    done = 0
    for start, end in spans:
        kept = max(start, done)
        parts.append(text[done:kept])
        parts.append("\n".join(with_what * len(line) for line in text[kept:end].split("\n")) if end > kept else "")
        done = max(done, end)
    parts.append(text[done:])
    return "".join(parts)


def _capped(text: str) -> str:
    if len(text) <= LIMIT:
        return text
    room = LIMIT
    at = 0
    for line in text.splitlines(keepends=True):
        size = len(line) - line.count(BLOCK) if line.strip(f"{BLOCK}\n") else 0
        if size > room:
            break
        room -= size
        at += len(line)
    else:
        return text
    return _hidden(text, [(at, len(text))], BLOCK)


def _without_tags(text: str) -> str:
    """<tag …>…</tag>, whatever the tag, to its last end: what is inside may hold ends of its own."""
    at = text.find("<")
    if at < 0:
        return text
    low = text.lower()
    if len(low) != len(text):  # a few letters grow in lower case, and every place after them would be wrong
        low = "".join(one if len(one) == 1 else "?" for one in map(str.lower, text))
    ends = _ends_of_tags(low)
    spans = []
    while at >= 0:
        name = _name_at(low, at + 1)
        end = ends.get(name, 0) if name else 0
        if name and end <= at and name.startswith(INJECTED):
            end = len(text)
        is_code = text[at - 1 : at] == "`" and not name.startswith(INJECTED)
        if name and end > at and not is_code and low.find(">", at, at + LONGEST_TAG) > 0:
            spans.append((at, end))
            at = end
        else:
            at += 1
        at = low.find("<", at)
    return _hidden(text, spans, BLOCK)


def _ends_of_tags(low: str) -> dict[str, int]:
    ends: dict[str, int] = {}
    at = low.find("</")
    while at >= 0:
        name = _name_at(low, at + 2)
        closed = low.find(">", at, at + LONGEST_TAG)
        if name and closed > 0:
            ends[name] = closed + 1
        at = low.find("</", at + 2)
    return ends


def _name_at(low: str, at: int) -> str:
    end = at
    while end - at < 80 and low[end : end + 1] in NAME:
        end += 1
    name = low[at:end]
    return name if name[:1].isalpha() and not low.startswith("//", end) else ""


def _without_lines(text: str) -> str:
    """Fenced and indented code, lines quoted with >, pasted output of programs."""
    lines = text.split("\n")
    outside = [False] * len(lines)
    is_single = sum(1 for line in lines if line.strip()) < 2
    fence = before = ""
    is_behind = in_diff = False
    last_output = -1
    for number, line in enumerate(lines):
        tidy = line.strip()
        if fence:
            outside[number] = True
            is_alone = tidy.startswith(fence) and not tidy.strip(fence[0])
            if is_alone or (is_behind and tidy.endswith(fence)):
                fence = ""
            continue
        if not tidy:
            last_output = -1
            in_diff = in_diff and line[:1] == " "
            before = before if before == ":" else ""
            continue
        fence, is_behind = _opened_fence(tidy)
        if fence:
            outside[number] = not is_behind
            at = line.find(fence)
            lines[number] = line[:at] + BLOCK * (len(line) - at)
            before = ""
            continue
        in_diff = tidy.startswith(("diff --git ", "@@ ", "--- a/")) or (in_diff and line[:1] in "+-@ \\i")
        is_output = in_diff or _is_output(tidy)
        if is_output:
            if last_output >= 0:  # what stands between two lines of output is output too
                outside[last_output : number + 1] = [True] * (number + 1 - last_output)
            last_output = number
        is_code = not is_single and line.startswith(("    ", "\t")) and not _goes_on(tidy, before)
        outside[number] = is_output or is_code or tidy[0] == ">"
        before = "" if outside[number] else _what_it_begins(tidy, before)
    return "\n".join(BLOCK * len(line) if hide else line for line, hide in zip(lines, outside, strict=True))


def _opened_fence(tidy: str) -> tuple[str, bool]:
    """The fence that a line opens, "" if none, and whether words stand before it on its line."""
    for fence in FENCES:
        if tidy.count(fence) % 2:
            before, _, _ = tidy.partition(fence)
            rest = tidy[len(before) :]
            return rest[: len(rest) - len(rest.lstrip(fence[0]))], bool(before.strip("-*+0123456789. "))
    return "", False


def _what_it_begins(tidy: str, before: str) -> str:
    if is_item(tidy):
        return "-"
    return ":" if tidy[-1] in ":\uff1a" else "-" if before == "-" else "w"


def _goes_on(tidy: str, before: str) -> bool:
    """Whether an indented line is an item of a list, or goes on with one, and is no code."""
    return before == "-" or (before != "" and is_item(tidy))


def is_item(tidy: str) -> bool:
    """Whether a line, without the space around it, is an item of a list."""
    if tidy[:2] in ("- ", "* ", "+ ", "• ", "\u2013 ", "· ") or tidy[:1] in ("・", "•"):
        return True
    digits = len(tidy) - len(tidy.lstrip("0123456789"))
    return (0 < digits < 4 and tidy[digits : digits + 2] in (". ", ") ")) or (
        digits > 0 and tidy[digits : digits + 1] == "、"
    )


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


def _without_code(text: str) -> str:
    """`code` within a line, or over a few lines of one paragraph."""
    spans = []
    at = text.find("`")
    while at >= 0:
        size = 1
        while text[at + size : at + size + 1] == "`":
            size += 1
        stop = text.find("\n\n", at)
        end = text.find("`" * size, at + size, stop if stop >= 0 else len(text))
        if end < 0:
            at = text.find("`", at + size)
            continue
        end += size
        spans.append((at, end))
        at = text.find("`", end)
    return _hidden(text, spans, INLINE)


def _without_quotes(text: str) -> str:
    spans = []
    at = 0
    unclosed: set[str] = set()
    while at < len(text):
        mark = text[at]
        if mark == '"' and _opens(text, at):
            end = _closing_straight(text, at, unclosed)
        elif mark == "'" and _opens(text, at):
            end = _closing_single(text, at)
        elif mark in CLOSING:
            end = _closing(text, at, CLOSING[mark], unclosed)
        else:
            at += 1
            continue
        if end:
            spans.append((at, end))
        at = max(end, at + 1)
    return _hidden(text, spans, INLINE)


def _opens(text: str, at: int) -> bool:
    before, behind = text[at - 1] if at else "\n", text[at + 1 : at + 2]
    if text[at] == '"' and before > "\u2e80":  # scripts without spaces
        return True
    return before in OPENS_AFTER and behind not in ("", " ", "\n")


def _end_of_paragraph(text: str, at: int) -> int:
    end = text.find("\n\n", at)
    return end if end >= 0 else len(text)


def _closing_straight(text: str, at: int, unclosed: set[str]) -> int:
    end = -1 if '"' in unclosed else text.find('"', at + 1)
    while end >= 0 and (text[end + 1 : end + 2].isalnum() and text[end + 1] < "\u2e80"):
        end = text.find('"', end + 1)
    if end < 0:
        unclosed.add('"')
        return _end_of_paragraph(text, at)
    return end + 1


def _closing_single(text: str, at: int) -> int:
    stop = text.find("\n", at)
    stop = min(stop if stop >= 0 else len(text), at + LONGEST_SINGLE)
    end = text.find("'", at + 1, stop)
    while end >= 0 and (text[end + 1 : end + 2].isalnum() or text[end - 1] == " "):
        end = text.find("'", end + 1, stop)
    return end + 1


def _closing(text: str, at: int, marks: str, unclosed: set[str]) -> int:
    if marks == "«" or text[at] == "\u2018":  # the same signs close and are apostrophes elsewhere: only within a line
        stop = text.find("\n", at)
        end = text.find(marks, at + 1, stop if stop >= 0 else len(text))
        return end + 1
    found = [] if marks in unclosed else [end for end in (text.find(mark, at + 1) for mark in marks) if end >= 0]
    if not found:
        unclosed.add(marks)
        return _end_of_paragraph(text, at)
    return min(found) + 1
