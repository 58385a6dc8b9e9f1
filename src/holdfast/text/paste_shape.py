"""Whether a prompt is a long text that somebody pasted without any mark around it.

Nothing in such a text says whose words it has; its shape does. Prompts that people type are short: a few lines, a few
hundred letters. One with many lines, or very many letters, is taken for pasted, unless this user writes that long: more
than twice as long as three of their own earlier prompts is unlike them. What was taken for pasted before does not
count as theirs, so pasting often does not make it a habit. Lines that are marked as somebody else's (`own_words`) do
not count either.

Orders in such a prompt wait for the user, and what is flagged from then on has read outside text. The earlier prompts
are only looked at where a prompt is long: the newest files, a bounded part of each.
"""

from __future__ import annotations

from holdfast.capture import platform
from holdfast.text import own_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LINES = 10  # own lines from which a prompt is long
CHARACTERS = 1500
TIMES = 2  # as long as the user's own
FEWEST = 3  # of their prompts that have to be so long
FILES = 6  # of earlier sessions that are looked at
BYTES = 1 << 16  # of each
MOST = 100_000  # characters: no prompt that is longer was typed


def is_paste(prompt: str, earlier: Callable[[], Iterable[str]]) -> bool:
    """Whether a prompt is unlike what this user types; `earlier` gives what they typed, and is asked only if it must
    be."""
    if len(prompt) > MOST:
        return True
    if prompt.count("\n") + 1 < LINES and len(prompt) < CHARACTERS:
        return False
    lines, characters = size(prompt)
    if lines < LINES and characters < CHARACTERS:
        return False
    sizes = [size(one) for one in earlier()]
    return lines >= _limit(LINES, [one for one, _ in sizes]) or characters >= _limit(
        CHARACTERS, [one for _, one in sizes]
    )


def _limit(least: int, sizes: list[int]) -> int:
    known = sorted(sizes, reverse=True)[:FEWEST]
    return max(least, TIMES * known[-1] if len(known) == FEWEST else 0)


def size(prompt: str) -> tuple[int, int]:
    """How many lines and characters of a prompt nothing marks as somebody else's."""
    lines = [line for line in own_words.own(prompt[:MOST]).split("\n") if any(sign.isalnum() for sign in line)]
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
