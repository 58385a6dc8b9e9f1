"""How the embedders of before were made: a question has to be embedded by the model whose vectors serve, also while
another one is taking over.

Kept in this machine's own state, never beside the vectors: a vault that came from elsewhere must not name the address
that questions, and a key, are sent to. Only names of keys' variables are in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import codec, platform
from holdfast.errors import UsageError
from holdfast.field.embed import choice, wordllama
from holdfast.field.embed.choice import Settings
from holdfast.field.embed.seam import NoVectors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.field.embed.seam import Embedder

FILE = "embedders.json"
LARGEST = 1 << 16
MOST = 8  # embedders of before: vaults that were not opened since then may still be served by them


def recalled(state: str) -> dict[str, Settings]:
    """Every embedder that has a recipe, by the name that its vectors are kept under; the newest last."""
    try:
        found = codec.decode(platform.read_file(f"{state}/{FILE}", LARGEST))["known"]
        return {str(name): choice.settings({choice.SECTION: table}) for name, table in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError):
        return {}


def keep(state: str, made: Embedder | None, settings: Settings) -> None:
    """That this embedder is made so. The default needs no recipe. A disk that takes nothing costs nothing else."""
    if made is None or isinstance(made, choice.Absent) or settings.name == choice.DEFAULT:
        return
    found = recalled(state)
    if found.get(made.name) == settings:
        return
    found.pop(made.name, None)
    _write(state, {**found, made.name: settings})


def forget_addresses(state: str) -> None:
    """Nothing is sent to an address of before any more."""
    found = recalled(state)
    local = {name: one for name, one in found.items() if not one.address}
    if local != found:
        _write(state, local)


def _write(state: str, found: Mapping[str, Settings]) -> None:
    tables = {name: one.as_table() for name, one in list(found.items())[-MOST:]}
    try:
        platform.write_atomic(f"{state}/{FILE}", codec.encode({"v": 1, "known": tables}), durable=False)
    except OSError:
        return


class Former:
    """Makes embedders of before by their names, each once."""

    def __init__(self, state: str, env: Mapping[str, str]) -> None:
        self._state = state
        self._env = env
        self._made: dict[str, Embedder | None] = {}

    def __call__(self, name: str) -> Embedder | None:
        """None where it cannot be made: then search goes by words."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def address(self, name: str) -> str:
        """Where this one sends texts; "" where it does not."""
        found = recalled(self._state).get(name)
        return found.address if found else ""

    def _make(self, name: str) -> Embedder | None:
        default = Settings() if name == wordllama.NAME else Settings(choice.ONNX)
        try:
            made = choice.made(recalled(self._state).get(name, default), self._env, patient=False)
        except (UsageError, NoVectors):
            return None
        return made if made and made.name == name else None
