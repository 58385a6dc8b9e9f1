"""A vault with tasks for the tests: a clock that moves with every look, and words as they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.capture.flags import Speaker
from holdfast.model import Project
from holdfast.tasks import checkpoint_words, commands, record

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.tasks.commands import Saved
    from holdfast.tasks.page import View

NOW = 1_776_841_200.0  # 2026-04-22T07:00Z
PROJECT = Project("shop-1", "shop", "", "/shop")
AGENT = Speaker("claude-code", "claude-code/s1/1", PROJECT, "agent")


class Desk:
    """Commands on the tasks of one vault."""

    def __init__(self, vault: str) -> None:
        self.vault = vault
        self.time = NOW
        home.make_vault(vault)

    def clock(self) -> float:
        self.time += 1
        return self.time

    def start(self, ident: str = "audit", goal: str = "Audit all orders", *units: str) -> Saved:
        return commands.start(self.vault, ident, goal, AGENT, self.clock, pending=units)

    def say(self, *argv: str, who: Speaker = AGENT) -> Saved:
        said = checkpoint_words.settled(checkpoint_words.read(list(argv)))
        return commands.checkpoint(self.vault, said, who, self.clock, {})

    def move(self, to: str, reason: str = "", ident: str = "", *, living: tuple[str, ...] = ()) -> Saved:
        return commands.move(
            self.vault, ident, to, reason, AGENT, self.clock, {}, runs=lambda episode: episode in living
        )

    def show(self, ident: str = "", *, whole: bool = False) -> View:
        return commands.show(self.vault, ident, PROJECT.id, self.clock, {}, whole=whole)

    def page(self, ident: str = "audit") -> str:
        with open(record.page_path(self.vault, ident), encoding="utf-8") as file:
            return file.read()

    def edit(self, old: str, new: str, ident: str = "audit") -> None:
        """As a person does it, in an editor."""
        text = self.page(ident)
        assert old in text
        with open(record.page_path(self.vault, ident), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))


def folder(desk: Desk, ident: str = "audit") -> Path:
    from pathlib import Path

    return Path(record.folder(desk.vault, ident))
