"""What all routes share: the vault, the warm field, and the memory as one caller may see it (DESIGN's rule of scope).

A caller is in one project: that of its token, else that of the folder the server was started in. Only a token that
may ask for all may say that it is in another one, and then sees that one and what is global, as if it stood there.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from holdfast.capture import config, episodes, home, project_merges, projects
from holdfast.capture.caller import Where
from holdfast.capture.caller import origin as origin_of
from holdfast.errors import NotFound
from holdfast.field.embed import choice
from holdfast.field.embed.seam import NoVectors
from holdfast.field.thought import least_trusted
from holdfast.model import Project
from holdfast.serve.problems import Denied, Off
from holdfast.serve.warm import Warm
from holdfast.serve.warmed import Warmed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.field.think import Thinking, Words
    from holdfast.serve.tokens import Caller

HEALTH_AGE = 24 * 3600.0  # seconds; sessions of a working day are closed by then


class Served(Warmed):
    """The memory of one vault as one caller sees it, on a field that is warm."""

    def __init__(self, serving: Serving, project: Project) -> None:
        super().__init__(serving.vault, serving.cwd, serving.clock, serving.env)
        self.warm = serving.warm
        self._project = project

    def project(self) -> Project:
        return self._project

    def think(self, said: Words) -> Thinking:
        off = self.why_off()
        if off:
            raise Off(f"Nothing was written: {off}.")
        return super().think(said)

    def origin(self, agent: str, session: str, said: str) -> str:
        """Whose words a caller's are: an agent's own at best, and no better than what has entered its context. One that
        does not say which session it is may be any that goes on."""
        found = episodes.latest(self.state, episodes.host_name(agent), episodes.session_name(session))
        known = found if session and found and found.state == episodes.OPEN else None
        where = Where("http", known.key if known else "", self._project, "environment", known is not None)
        return least_trusted(["agent", said, origin_of(where, self.vault)])


class Serving:
    """One server of one vault. `health_age` is the age of the oldest unprocessed flag at which it is no longer well."""

    def __init__(
        self,
        vault: str,
        cwd: str,
        env: Mapping[str, str],
        clock: Callable[[], float] = time.time,
        health_age: float | None = None,
    ) -> None:
        home.refuse_newer(vault)
        self.vault = vault
        self.state = home.state(vault)
        self.cwd = cwd
        self.env = env
        self.clock = clock
        wishes = config.load(home.machine_state(env))
        said = config.number(config.section(wishes, "serve"), "health_age", HEALTH_AGE)
        self.health_age = said if health_age is None else health_age
        self.warm = Warm(vault, _embedder(wishes, env), clock, env)

    def memory(self, caller: Caller, project: str = "", *, everything: bool = False) -> Served:
        """Raises Denied, NotFound."""
        if everything and not caller.all:
            raise Denied("This token is for one project; nothing was shown. One made with --all may ask for all.")
        if project and project not in project_merges.ids(self.vault, caller.project) and not caller.all:
            raise Denied("This token is for another project; nothing was shown. One made with --all may say any.")
        return Served(self, self._project(project or caller.project, caller.folder))

    def others(self, one: Served) -> list[Served]:
        """The same memory as seen from every other project."""
        merged = project_merges.names(self.vault)
        others = projects.registered(self.vault) - merged.keys() - {*one.project().ids}
        return [Served(self, self._project(ident)) for ident in sorted(others)]

    def here(self) -> Project:
        """The project of the folder that the server was started in."""
        return projects.find(self.cwd, self.vault)

    def _project(self, ident: str, folder: str = "") -> Project:
        """`folder` is one that may say more of it: that capture is off there."""
        here = self.here()
        ident, *merged = project_merges.ids(self.vault, ident)
        if ident in ("", here.id):
            return here
        there = projects.find(folder, self.vault) if os.path.isdir(folder) else None
        if there and there.id == ident:
            return there
        if ident not in projects.registered(self.vault):
            raise NotFound("There is no such project in this vault; nothing was done. projects.toml lists them.")
        return Project(ident, ident, "", "", merged=tuple(merged))


def _embedder(wishes: Mapping[str, Any], env: Mapping[str, str]) -> Any:
    """The one that the settings name; where it is not here, search goes by words."""
    try:
        return choice.chosen(wishes, env)
    except NoVectors:
        return None
