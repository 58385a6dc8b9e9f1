"""Where sessions ran, as an audit may know it without writing anything: the project of a folder, and our lines there.

The look-up that hooks use enters a folder that it does not know into the vault's registry. An audit looks at folders in
which no hook ever ran, so it asks the same function with a copy of the registry.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

from holdfast.capture import home, ledger_history, projects
from holdfast.capture.ledger_history import Wanted
from holdfast.doctor.hosts import has_plugin

if TYPE_CHECKING:
    from holdfast.audit.period import Told
    from holdfast.doctor.checks import Place
    from holdfast.install.hosts import Registrar
    from holdfast.model import Project

BEFORE = 500  # hooks before the period that tell whether a host was heard of


class Places:
    """Folders, each looked at once."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._copy = ""
        self._known: dict[str, Project] = {}

    def __enter__(self) -> Places:
        self._copy = tempfile.mkdtemp(prefix="holdfast-audit-")
        try:
            shutil.copyfile(f"{self._place.vault}/projects.toml", f"{self._copy}/projects.toml")
        except OSError:
            pass  # no project was registered yet: each is known by its own key
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._copy, ignore_errors=True)

    def _find(self, folder: str) -> Project:
        found = self._known.get(folder)
        if found is None:
            found = self._known[folder] = projects.find(folder, self._copy)
        return found

    def project(self, folder: str) -> str:
        return self._find(folder).id

    def is_off(self, folder: str) -> bool:
        return self._find(folder).off

    def is_ours(self, folder: str) -> bool:
        """Whether what happens there goes to this vault, and not to one that a repository brings."""
        return home.vault(self._place.env, folder) == self._place.vault


class Lines:
    """Our lines in one host's settings: where they are, and since when at the latest.

    Nobody wrote down when they were put there. It was before a hook first fired, and before the file that has them was
    last changed on this machine (a copy keeps its old time, not the one at which it came here); so the earlier of the
    two is taken.
    """

    def __init__(self, place: Place, told: Told, registrar: Registrar) -> None:
        self.host = registrar.NAME
        self.title = registrar.TITLE
        self._place = place
        self._registrar = registrar
        self._by_folder: dict[str, tuple[bool, bool, float]] = {}
        self._heard = {project: times for (host, project), times in told.heard.items() if host == self.host}
        for record in ledger_history.newest(place.state, Wanted(kinds=("hook",), until=told.period.since), BEFORE):
            if record.get("host") == self.host:
                self._hear(str(record.get("project") or ""), float(record.get("t", 0)))

    def _hear(self, project: str, when: float) -> None:
        first, last = self._heard.get(project, (when, when))
        self._heard[project] = (min(first, when), max(last, when))

    def last(self) -> float:
        """When a hook of this host last fired; 0 if none is known of."""
        return max((last for _, last in self._heard.values()), default=0.0)

    def since_any(self) -> float:
        """Before this no session can have been seen; 0 where there are no lines and no hook was ever heard of."""
        _, _, changed = self._there(self._place.cwd)
        return min([first for first, _ in self._heard.values()] + ([changed] if changed else []), default=0.0)

    def of(self, folder: str, project: str) -> tuple[bool, float]:
        """Whether our lines count in a folder, and since when a session there should have been seen."""
        is_there, is_everywhere, changed = self._there(folder)
        heard = [first for name, (first, _) in self._heard.items() if is_everywhere or name == project]
        return is_there, min([*heard, *([changed] if changed else [])], default=float("inf"))

    def _there(self, folder: str) -> tuple[bool, bool, float]:
        """Whether they are there, whether they count in every folder, and when their file was last changed."""
        known = self._by_folder.get(folder)
        if known is None:
            known = self._by_folder[folder] = self._look(folder)
        return known

    def _look(self, folder: str) -> tuple[bool, bool, float]:
        env = self._place.env
        users = set(self._registrar.places(env, "user", folder))
        paths = {one.path for one in self._registrar.registered(env, folder)}
        if has_plugin(self._place, self.host):
            paths |= users
        changed = [stamp for path in paths if (stamp := _changed(path))]
        return bool(paths), bool(paths & users), min(changed, default=0.0)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_ctime
    except OSError:
        return 0.0
