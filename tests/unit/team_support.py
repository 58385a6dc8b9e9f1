"""A team in a real database: people with a role each, and stores that act as them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.field.postgres import schema
from holdfast.field.postgres.connection import Server
from holdfast.field.postgres.store import PostgresStore

if TYPE_CHECKING:
    from pg_cluster import Database

TEAM = "shop"


@dataclass
class Team:
    """A prepared database; `store("ada")` is a member's, made a member of a team at the first call."""

    database: Database
    servers: dict[str, Server] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.owner = Server(self.database.dsn())
        schema.prepare(self.owner)

    def join(self, person: str, team: str = TEAM) -> str:
        """A role of that person's, a member of that team."""
        role = f"hf_{person}"
        self.database.sql(
            f"DO $$ BEGIN CREATE ROLE {role} LOGIN IN ROLE {schema.PEOPLE}; "
            "EXCEPTION WHEN duplicate_object THEN NULL; END $$"
        )
        self.database.sql("INSERT INTO holdfast.team (name) VALUES (%s) ON CONFLICT DO NOTHING", team)
        self.database.sql(
            "INSERT INTO holdfast.member SELECT code, name, %s FROM holdfast.team WHERE name = %s "
            "ON CONFLICT DO NOTHING",
            role,
            team,
        )
        return role

    def server(self, person: str) -> Server:
        if person not in self.servers:
            self.servers[person] = Server(self.database.dsn(user=f"hf_{person}"))
        return self.servers[person]

    def store(self, person: str = "ada", team: str = TEAM, machine: str = "") -> PostgresStore:
        self.join(person, team)
        return PostgresStore(self.server(person), team, machine or f"{person}s")

    def close(self) -> None:
        for one in (self.owner, *self.servers.values()):
            one.close()
