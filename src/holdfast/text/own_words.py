"""The user's own words in a prompt: never what is quoted, pasted or injected into it.

Promise: `mask` keeps the length and the places of a prompt, and hides every character that somebody else may have
written. A word in doubt is taken for outside text: an order that is missed can be said again, an order that a web
page slipped into memory under the user's name cannot be told from a real one. So a block reaches to the last closing
tag of its name, fences and quotations from the first mark to the last (`set_apart`), and whatever does not add up to
the end of the prompt: a page that closes the user's quotation itself gains nothing.

Outside text that was pasted without any mark cannot be told line by line; a long one is known by how unlike the user
it is (`is_paste`). Everything is one pass of plain string operations (no `re`: a prompt must cost microseconds), over
at most `LIMIT` characters of own words.
"""

from __future__ import annotations

from holdfast.capture import platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


def mask(prompt: str, *, loosely: bool = False) -> str:
    """The prompt, character for character, with BLOCK and INLINE in place of what is not the user's own. `loosely`
    leaves what stands between two quotations or two blocks, where it may be the user's: to be shown, never to bind."""
    start = prompt[:200].lstrip().lower()
    if start.startswith(WRITTEN_BY_HOSTS):
        return BLOCK * len(prompt)
    from holdfast.text import set_apart

    seen = _without_tags(prompt)
    counted = prompt
    fenced = set_apart.fenced(prompt, seen, loosely=loosely)
    if fenced:
        seen = _hidden(seen, fenced, BLOCK)
        # Marks in a block of code are no quotations; where it is not the only one, nobody knows whose they are.
        if loosely or set_apart.is_one_block(prompt, fenced):
            counted = _hidden(prompt, fenced, BLOCK)
    seen = _capped(set_apart.lines(seen, loosely=loosely))
    return _hidden(seen, set_apart.spans(counted, seen, loosely=loosely), INLINE)


def is_item(tidy: str) -> bool:
    """Whether a line, without the space around it, is an item of a list."""
    if tidy[:2] in ("- ", "* ", "+ ", "• ", "\u2013 ", "· ") or tidy[:1] in ("・", "•"):
        return True
    digits = len(tidy) - len(tidy.lstrip("0123456789"))
    return digits > 0 and (tidy.startswith("、", digits) or (digits < 4 and tidy.startswith((". ", ") "), digits)))


def is_set_in(prompt: str, at: int) -> bool:
    """Whether the line at a place is indented as code is: it may be an item of a list, but is no order of the user."""
    line = prompt[prompt.rfind("\n", 0, at + 1) + 1 :]
    return line.startswith(("    ", "\t"))


def _hidden(text: str, spans: list[tuple[int, int]], with_what: str) -> str:
    """Line breaks stay: they are no words. What is hidden as a block stays one."""
    if not spans:
        return text
    parts = []
    done = 0
    for start, end in spans:
        kept = max(start, done)
        parts.append(text[done:kept])
        if end > kept:
            parts.append("\n".join(_hidden_line(line, with_what) for line in text[kept:end].split("\n")))
        done = max(done, end)
    parts.append(text[done:])
    return "".join(parts)


def _hidden_line(line: str, with_what: str) -> str:
    if BLOCK not in line or with_what == BLOCK:
        return with_what * len(line)
    return "".join(BLOCK if sign == BLOCK else with_what for sign in line)


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
    """<tag …>…</tag> and [tag]…[/tag], whatever the tag, to its last end: what is inside may hold ends of its own. A
    tag alone on its line that is never closed reaches to the end, and so does a comment."""
    if "<" not in text and "[/" not in text:
        return text
    low = text.lower()
    if len(low) != len(text):  # a few letters grow in lower case, and every place after them would be wrong
        low = "".join(one if len(one) == 1 else "?" for one in map(str.lower, text))
    spans = _tagged(low, "<", ">") if "<" in low else []
    if "[/" in low:
        spans = sorted([*spans, *_tagged(low, "[", "]")])
    return _hidden(text, spans, BLOCK)


def _tagged(low: str, opening: str, closing: str) -> list[tuple[int, int]]:
    ends = _ends_of_tags(low, opening, closing)
    spans = []
    at = low.find(opening)
    while at >= 0:
        end = _end_of_tag(low, at, closing, ends)
        if end > at:
            spans.append((at, end))
        at = low.find(opening, max(end, at + 1))
    return spans


def _end_of_tag(low: str, at: int, closing: str, ends: dict[str, int]) -> int:
    """Where what begins with a tag at this place ends; 0 where it is no such tag."""
    for begin, finish in (("<!--", "-->"), ("<![cdata[", "]]>")):
        if low.startswith(begin, at):
            last = low.rfind(finish, at)
            return last + len(finish) if last > 0 else len(low)
    name = _name_at(low, at + 1)
    closed = low.find(closing, at, at + LONGEST_TAG) if name else -1
    is_injected = closing == ">" and name.startswith(INJECTED)
    if closed < 0 or (low[at - 1 : at] == "`" and not is_injected):
        return 0
    end = ends.get(name, 0)
    if end > at:
        return end
    return len(low) if is_injected or (closing == ">" and _is_alone(low, at, closed)) else 0


def _is_alone(low: str, at: int, closed: int) -> bool:
    """Whether an opening tag has its line for itself."""
    before, behind = at - 1, closed + 1
    while before >= 0 and low[before] != "\n" and low[before].isspace():
        before -= 1
    while behind < len(low) and low[behind] != "\n" and low[behind].isspace():
        behind += 1
    return low[closed - 1] != "/" and low[before : before + 1] in ("", "\n") and low[behind : behind + 1] in ("", "\n")


def _ends_of_tags(low: str, opening: str, closing: str) -> dict[str, int]:
    ends: dict[str, int] = {}
    at = low.find(f"{opening}/")
    while at >= 0:
        name = _name_at(low, at + 2)
        closed = low.find(closing, at, at + LONGEST_TAG)
        if name and closed > 0:
            ends[name] = closed + 1
        at = low.find(f"{opening}/", at + 2)
    return ends


def _name_at(low: str, at: int) -> str:
    end = at
    while end - at < 80 and low[end : end + 1] in NAME:
        end += 1
    name = low[at:end]
    return name if name[:1].isalpha() and not low.startswith("//", end) else ""


LINES = 10  # own lines from which a prompt is long
CHARACTERS = 1500
TIMES = 2  # as long as the user's own
FEWEST = 3  # of their prompts that have to be so long
FILES = 6  # of earlier sessions that are looked at
BYTES = 1 << 16  # of each
MOST = 100_000  # characters: no prompt that is longer was typed


def is_paste(prompt: str, earlier: Callable[[], Iterable[str]]) -> bool:
    """Whether a prompt is unlike what this user types; `earlier` gives what they typed, and is asked only if needed."""
    if len(prompt) > MOST:
        return True
    if prompt.count("\n") + 1 < LINES and len(prompt) < CHARACTERS:
        return False
    lines, characters = size(prompt)
    if lines < LINES and characters < CHARACTERS:
        return False
    others = [size(one) for one in earlier()]
    most = (_limit(LINES, [one for one, _ in others]), _limit(CHARACTERS, [one for _, one in others]))
    return lines >= most[0] or characters >= most[1]


def _limit(least: int, sizes: list[int]) -> int:
    known = sorted(sizes, reverse=True)[:FEWEST]
    return max(least, TIMES * known[-1] if len(known) == FEWEST else 0)


def size(prompt: str) -> tuple[int, int]:
    """The count of lines and characters of a prompt that nothing marks as somebody else's."""
    lines = [line for line in own(prompt[:MOST]).split("\n") if any(sign.isalnum() for sign in line)]
    return len(lines), sum(map(len, lines))


def kept(vault: str) -> Iterator[str]:
    """The user's prompts of their newest sessions, as `vault/prompts` writes them; none that was pasted."""
    folders = [f"{vault}/prompts/{one}" for one in platform.names(f"{vault}/prompts")]
    found = sorted((name, folder) for folder in folders for name in platform.names(folder) if name.endswith(".md"))
    for name, folder in found[-FILES:]:
        try:
            raw = platform.read_file(f"{folder}/{name}", BYTES)
        except OSError:
            continue
        yield from _typed(raw.decode("utf-8", "replace"))


def _typed(text: str) -> Iterator[str]:
    head, _, body = text.removeprefix("---").partition("\n---")
    listed = next((line for line in head.split("\n") if line.startswith("pasted:")), "")
    pasted = {word.strip("\"'") for word in listed.removeprefix("pasted:").strip(" []").replace(",", " ").split()}
    for part in body.split("\n## ")[1:]:
        number, _, rest = part.partition(". ")
        if number not in pasted:
            yield "\n".join(line[4:] for line in rest.split("\n") if line.startswith("    "))
