"""How the demonstration is printed: numbered steps, no line wider than 80 columns, colour only where it is wanted."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WIDTH = 80
BELOW = "     "
BOLD, CYAN, YELLOW, FAINT, PLAIN = "\x1b[1m", "\x1b[36m", "\x1b[33m", "\x1b[2m", "\x1b[0m"


@dataclass
class Telling:
    """What is said, line by line, and how many steps there were."""

    say: Callable[[str], None]
    colour: bool = False
    steps: int = 0

    def step(self, text: str) -> None:
        """What happens now, and what to look at."""
        if self.steps:
            self.say("")
        self.steps += 1
        number = f"{self.steps}. "
        for line in _folded(text, number, " " * len(number)):
            self.say(self._in(BOLD, line))

    def then(self, text: str) -> None:
        """What else happens in the same step."""
        for line in _folded(text, "   ", "   "):
            self.say(self._in(BOLD, line))

    def command(self, words: str) -> None:
        """What is typed, by an agent or by a person."""
        for line in _folded(f"$ {words}", BELOW, BELOW + "    "):
            self.say(self._in(CYAN, line))

    def quote(self, lines: Iterable[str], loud: str = "") -> None:
        """What was printed, whole lines of it; the one that begins with `loud` is what to look at."""
        for line in lines:
            style = YELLOW if loud and line.startswith(loud) else ""
            for part in _folded(line, BELOW, BELOW + "  "):
                self.say(self._in(style, part))

    def excerpt(self, lines: Iterable[str], *beginnings: str, loud: str = "") -> None:
        """The lines that begin so; where others stood between them, that is to be seen."""
        is_cut = False
        for line in lines:
            if line.startswith(beginnings):
                self.quote([line], loud)
                is_cut = False
            elif not is_cut:
                self.say(self._in(FAINT, f"{BELOW}[...]"))
                is_cut = True

    def close(self, *texts: str) -> None:
        """The last words."""
        for text in texts:
            self.say("")
            for line in _folded(text, "", ""):
                self.say(self._in(BOLD, line))

    def _in(self, style: str, line: str) -> str:
        return f"{style}{line}{PLAIN}" if self.colour and style else line


def _folded(text: str, first: str, more: str) -> list[str]:
    """A line as several that fit; what has no blank in it, such as a path, is left whole."""
    inner = len(text) - len(text.lstrip(" "))
    parts = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=more + " " * inner,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    return parts or [first.rstrip()]
