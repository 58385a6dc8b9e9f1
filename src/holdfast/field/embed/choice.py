"""Which embedder the user chose, from [embed] in this machine's settings.

    [embed]
    name = "wordllama"     # the default; none (words alone), onnx (a better local one), openai (any such endpoint)
    folder = "…"           # of an ONNX model with its tokenizer.json, where another than the extra's is wanted
    url = "…"              # of an endpoint; model = "…"; key_env = "VAR" names the variable that holds its key

Only the machine's own settings count: a repository cannot choose where a memory is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as machine
from holdfast.errors import UsageError
from holdfast.field.embed.seam import NoVectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.field.embed.seam import Embedder, Vectors

NONE, DEFAULT = "none", "wordllama"
ONNX, ENDPOINT = "onnx", "openai"
SECTION = "embed"
OPTIONS = ("model", "url", "key_env", "folder")
HURRY = 10.0  # seconds that somebody who waits for an answer waits for an endpoint, once
TITLES = {
    DEFAULT: "a small model that comes with holdfast",
    ONNX: "a better one on this machine, from a folder or the extra `local`",
    ENDPOINT: "any OpenAI-compatible embeddings endpoint",
    NONE: "no vectors: search by words alone",
}


def names() -> tuple[str, ...]:
    return tuple(TITLES)


@dataclass(frozen=True)
class Settings:
    """What [embed] says."""

    name: str = DEFAULT
    model: str = ""
    url: str = ""
    key_env: str = ""
    folder: str = ""

    @property
    def address(self) -> str:
        """Where texts are sent; "" where they stay with us."""
        if self.name != ENDPOINT:
            return ""
        from holdfast.judge import openai

        return openai.base(self.url or openai.OWN)

    def as_table(self) -> dict[str, str]:
        """As it is written: the name, and what was given beside it."""
        return {"name": self.name} | {one: getattr(self, one) for one in OPTIONS if getattr(self, one)}


def settings(config: Mapping[str, Any]) -> Settings:
    """Something of another type is as good as nothing. Raises UsageError for a name that nobody has."""
    found = machine.section(config, SECTION)
    given = {one: found[one].strip() for one in ("name", *OPTIONS) if isinstance(found.get(one), str)}
    made = Settings(**{**given, "name": given.get("name") or DEFAULT})
    if made.name not in TITLES:
        raise UsageError(f'"{made.name[:60]}" is no embedder; nothing was changed. There are {", ".join(TITLES)}.')
    return made


def wished(state: str) -> Settings | None:
    """What this machine's settings name now; None where that is nobody."""
    try:
        return settings(machine.load(state))
    except UsageError:
        return None


def made(wanted: Settings, env: Mapping[str, str], *, patient: bool = True) -> Embedder | None:
    """The embedder; None for words alone. Who is not patient tries an endpoint once. Raises UsageError, NoVectors.
    Loads no model yet."""
    if wanted.name == NONE:
        return None
    if wanted.name == DEFAULT:
        from holdfast.field.embed import wordllama

        return wordllama.WordLlama()
    if wanted.name == ONNX:
        from holdfast.field.embed import onnx

        return onnx.Onnx(Path(wanted.folder).expanduser() if wanted.folder else None)
    return _endpoint(wanted, env, patient)


class Absent:
    """The chosen one, where it cannot be made here and now: a key that this shell has not, an extra that is gone. What
    served before goes on serving."""

    def __init__(self, wanted: Settings, reason: str) -> None:
        self.name = f"{wanted.name}, which is not here"
        self._reason = reason

    @property
    def dimension(self) -> int:
        raise NoVectors(self._reason)

    def embed(self, texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        raise NoVectors(self._reason)


def at_hand(wanted: Settings, env: Mapping[str, str]) -> Embedder | None:
    """The embedder for somebody who waits for an answer: whatever is wrong with it must not cost the answer."""
    try:
        return made(wanted, env, patient=False)
    except (UsageError, NoVectors) as error:
        return Absent(wanted, str(error))


def chosen(config: Mapping[str, Any], env: Mapping[str, str], *, patient: bool = True) -> Embedder | None:
    """The embedder that the settings name; None for words alone. Raises UsageError, NoVectors."""
    return made(settings(config), env, patient=patient)


def _endpoint(wanted: Settings, env: Mapping[str, str], patient: bool) -> Embedder:
    from holdfast.field.embed import endpoint
    from holdfast.judge import openai

    if not wanted.model:
        raise UsageError(
            "An embeddings endpoint needs the name of its model; nothing was changed. Give one in [embed]."
        )
    key_env = wanted.key_env or ("" if wanted.url else openai.KEY_ENV)
    if patient:
        return endpoint.Endpoint(wanted.model, wanted.address, key_env, env)
    return endpoint.Endpoint(wanted.model, wanted.address, key_env, env, HURRY, tries=1)
