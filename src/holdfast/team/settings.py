"""The team in this machine's own settings: the address of its database, the person, and which project goes to whom.

    [team]
    dsn = "postgresql://ada:…@db.example/holdfast"
    person = "ada"
    budget_s = 1.5
    [team.projects]
    shop-1f2e3d4c = ["backend"]

The address holds a password, so it stands in .state/config.toml alone, which is its owner's only and no part of the
vault's history, and every text for a person shows *** in its place. Only the user's own vault is shared: a vault that a
repository brings has no settings here.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast import settings as machine
from holdfast.capture import config, home
from holdfast.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTION = "team"
BUDGET = 1.5
FIELDS = ("dsn", "person", "budget_s", "projects")
SECRET = re.compile(r"(://[^:@/\s]*):[^@/\s]*@|(password\s*=\s*)('(?:[^'\\]|\\.)*'|\S+)|([?&]password=)[^&\s]*", re.I)
NOT_JOINED = (
    "This machine has joined no team; nothing was changed. `holdfast team join DSN` does, with the address that the "
    "owner of the database gave you."
)


@dataclass(frozen=True)
class Share:
    """A project that a team sees."""

    project: str
    team: str


@dataclass(frozen=True)
class Settings:
    dsn: str = ""
    person: str = ""
    budget_s: float = BUDGET
    projects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def shares(self) -> tuple[Share, ...]:
        return tuple(Share(project, team) for project, teams in sorted(self.projects.items()) for team in teams)

    def teams_of(self, project: str | None) -> tuple[str, ...]:
        return self.projects.get(project, ()) if project and self.dsn else ()

    def sharing(self, project: str, team: str) -> Settings:
        teams = tuple(dict.fromkeys((*self.projects.get(project, ()), team)))
        return replace(self, projects={**self.projects, project: teams})

    def without(self, share: Share) -> Settings:
        left = {one: tuple(team for team in teams if Share(one, team) != share) for one, teams in self.projects.items()}
        return replace(self, projects={one: teams for one, teams in left.items() if teams})


def read(found: Mapping[str, Any]) -> Settings:
    """The settings of the team; something of another type is as good as nothing."""
    table = config.section(found, SECTION)
    dsn, person = (table[name].strip() if isinstance(table.get(name), str) else "" for name in ("dsn", "person"))
    listed = table.get("projects")
    listed = listed if isinstance(listed, dict) else {}
    projects = {str(one): config.texts(listed, one, ()) for one in listed}
    budget = config.number(table, "budget_s", BUDGET)
    kept = {one: teams for one, teams in projects.items() if teams}
    return Settings(dsn, person, budget if 0 < budget <= 60 else BUDGET, kept)


def load(env: Mapping[str, str], vault: str) -> Settings:
    """Of this machine, for its user's own vault; empty for any other."""
    state = home.machine_state(env)
    return read(config.load(state)) if state == home.state(vault) else Settings()


def joined(env: Mapping[str, str], vault: str) -> Settings:
    """Raises NotFound where this machine has joined no team."""
    found = load(env, vault)
    if not found.dsn:
        raise NotFound(NOT_JOINED)
    return found


def write(env: Mapping[str, str], wanted: Settings) -> str:
    """Write them down, readable by their owner alone; the path. Raises HoldfastError."""
    state = home.machine_state(env)
    given = {"dsn": wanted.dsn, "person": wanted.person}
    fields: dict[str, Any] = {name: said for name, said in given.items() if said}
    if wanted.budget_s != BUDGET:
        fields["budget_s"] = wanted.budget_s
    if wanted.projects:
        fields["projects"] = {one: list(teams) for one, teams in wanted.projects.items()}
    path = machine.write(state, SECTION, fields, FIELDS)
    if os.path.exists(path):
        os.chmod(path, 0o600)
    return path


def masked(dsn: str) -> str:
    """An address without its password."""
    return SECRET.sub(lambda one: f"{one[1]}:***@" if one[1] else f"{one[2] or one[4]}***", dsn)
