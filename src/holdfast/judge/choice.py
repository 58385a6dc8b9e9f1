"""The judge that the user chose in [judge] of this machine's settings, and what each of them needs.

    [judge]
    name = "claude-code"     # verbatim (the default: no model), claude-code, codex, anthropic, openai, ollama
    model = "haiku"          # where another than the judge's own default is wanted
    url = "…"                # of an endpoint; key_env = "VAR" names the variable that holds its key
    workers = 8
    timeout = 120

Only the machine's own settings count: a repository cannot choose who reads a memory, nor where it is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from holdfast import settings as machine
from holdfast.capture import config
from holdfast.errors import UsageError
from holdfast.hosts import KNOWN
from holdfast.hosts.host import every
from holdfast.judge.seam import Judge

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTION = "judge"
NAMES = ("name", "model", "url", "key_env", "workers", "timeout")
VERBATIM = "verbatim"
WORKERS, MOST_WORKERS = 8, 64
TIMEOUT, LONGEST_TIMEOUT = 120.0, 3600.0
TITLES = {
    VERBATIM: "no model",
    **{host.name: f"{host.title}'s own command line, with your login" for host in every()},
    "anthropic": "Anthropic's API, with a key",
    "openai": "any OpenAI-compatible endpoint",
    "ollama": "a model on this machine, by Ollama",
}
ADDRESSED = ("anthropic", "openai", "ollama")


class Looked(Judge, Protocol):
    """A judge of ours, which can also be looked at without spending anything."""

    def look(self, timeout: float) -> str:
        """One line about what works. Raises JudgeFailed or UsageError."""
        ...


@dataclass(frozen=True)
class Settings:
    """[judge], with the defaults in place; "" where there is none."""

    name: str = VERBATIM
    model: str = ""
    url: str = ""
    key_env: str = ""
    workers: int = WORKERS
    timeout: float = TIMEOUT

    def as_table(self) -> dict[str, Any]:
        """As it is written: the name, and what differs from the defaults."""
        found = {name: getattr(self, name) for name in (NAMES if self.name != VERBATIM else ("workers", "timeout"))}
        plain = Settings(self.name)
        return {"name": self.name} | {name: one for name, one in found.items() if one != getattr(plain, name)}


def settings(found: Mapping[str, Any]) -> Settings:
    """Something of another type in [judge] is as good as nothing. Raises UsageError for a name that nobody has."""
    given = machine.choice(found, SECTION, NAMES[1:4], TITLES, "judge")
    table = config.section(found, SECTION)
    workers = int(min(MOST_WORKERS, max(1.0, config.number(table, "workers", WORKERS))))
    timeout = min(LONGEST_TIMEOUT, max(1.0, config.number(table, "timeout", TIMEOUT)))
    named = (
        given if given["name"] != VERBATIM else {}
    )  # model, url and key count only for the judge that they were given for
    return Settings(**named, workers=workers, timeout=timeout)


def chosen(found: Mapping[str, Any], env: Mapping[str, str]) -> Looked | None:
    """The judge that the user chose; None where they chose none. Raises UsageError where something is missing."""
    return made(settings(found), env)


def made(wanted: Settings, env: Mapping[str, str]) -> Looked | None:
    """A judge for these settings. Raises UsageError."""
    if wanted.name == VERBATIM:
        return None
    if wanted.name not in ADDRESSED and (wanted.url or wanted.key_env):
        raise UsageError(f"{wanted.name} has its own address and login, no url or key_env; nothing was changed.")
    from holdfast.judge import models

    if wanted.name in KNOWN:
        return models.Agent(wanted.name, wanted.model, env)
    if wanted.name == "anthropic":
        key_env = wanted.key_env or models.ANTHROPIC_KEY
        return models.Anthropic(wanted.model or models.ANTHROPIC_MODEL, wanted.url or models.URL, key_env, env)
    is_own = wanted.name == "openai" and wanted.url in ("", models.OWN)
    url = wanted.url or (models.OWN if is_own else models.OLLAMA)
    model = wanted.model or (models.OPENAI_MODEL if is_own else "")
    if not model:
        where = models.shown(url)
        raise UsageError(f"{wanted.name} at {where} needs a model; nothing was changed. Name it: --model M.")
    key_env = wanted.key_env or (models.OPENAI_KEY if is_own else "")
    return models.OpenAI(wanted.name, model, models.base(url), key_env, env)
