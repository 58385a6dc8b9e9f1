"""Two machines of a team: each a vault of its own, a person's role in one database, and the settings that share a
project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from field_support import SHOP, Room

from holdfast.field import retrieval, think
from holdfast.field.postgres.connection import Server
from holdfast.field.postgres.store import PostgresStore
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.memory import Memory
from holdfast.team import names, shipping
from holdfast.team import settings as team_settings
from holdfast.team.settings import Settings, Share

if TYPE_CHECKING:
    from team_support import Team

SHARE = Share(SHOP, "backend")


class Desk:
    """One person's machine: a vault, and the team's store as that person."""

    def __init__(self, team: Team, folder: Path, person: str) -> None:
        self.room = Room(str(folder / person))
        self.person = person
        dsn = team.database.dsn(user=team.join(person, "backend"))
        self.settings = Settings(dsn, person, projects={SHOP: ("backend",)})
        self.server = Server(self.settings.dsn)
        self.names = names.of(self.room.vault, SHARE, self.person)
        self.store = PostgresStore(self.server, "backend", self.names.store)

    def think(self, text: str, project: str = SHOP) -> Thought:
        return think.think(self.room.field, Thought("", text, project=project)).thought

    def ask(self, query: str, agent: str = "") -> None:
        found = retrieval.ask(self.room.field, query, Scope(SHOP))
        retrieval.reinforce(self.room.field, found, agent)

    def ship(self) -> int:
        return shipping.everything(self.room.field, self.server, self.settings).sent[SHARE]

    def unsent(self) -> shipping.Unsent:
        return shipping.unsent(self.room.field, self.settings, SHARE)

    def texts(self) -> set[str]:
        return {row[0] for row in self.store.ask("SELECT text FROM holdfast.thought")}

    def close(self) -> None:
        self.server.close()
        self.room.close()

    @property
    def env(self) -> dict[str, str]:
        return {"HOLDFAST_HOME": self.room.vault, "HOME": str(Path(self.room.vault).parent), "HOLDFAST_CLOSE": "off"}

    def settle(self) -> None:
        """Write the settings down, with words alone for search."""
        Path(self.room.vault, ".state", "config.toml").write_text('[embed]\nname = "none"\n', encoding="utf-8")
        team_settings.write(self.env, self.settings)

    def memory(self) -> Memory:
        return Memory.open(self.room.vault, str(Path(self.room.vault).parent), lambda: self.room.now, self.env)
