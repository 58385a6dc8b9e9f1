"""Texts as vectors: the protocol of an embedder, and the one that [embed] in this machine's settings names.

    [embed]
    name = "wordllama"     # the default; none (words alone), onnx (a better local one), openai (any such endpoint)
    folder = "…"           # of an ONNX model with its tokenizer.json, where another than the extra's is wanted
    url = "…"              # of an endpoint; model = "…"; key_env = "VAR" names the variable that holds its key

Only the machine's own settings count: a repository cannot choose where a memory is sent. How former embedders were
made is kept too: a question has to be embedded by the model whose vectors serve, also while another takes over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from holdfast import settings as machine
from holdfast.capture import codec, config, platform
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy import float32
    from numpy.typing import NDArray

    Vectors = NDArray[float32]


class NoVectors(HoldfastError):
    """The texts could not be embedded; nothing was changed, and search goes on by what serves."""

    # `again`: the same call may succeed later.

    code = "embedder"
    exit_status = 16

    def __init__(self, message: str | None = None, *, again: bool = False) -> None:
        super().__init__(message)
        self.again = again


class Embedder(Protocol):
    """One model: a name, a dimension, and vectors of unit length. One may have `query` besides: the vector of a single
    text, made in less time than it takes to load the whole model."""

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int:
        """The length of its vectors; a remote one may have to ask for it. Raises NoVectors."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order. Raises NoVectors."""
        ...


def unit(rows: Vectors) -> Vectors:
    """Each row at length one; a row of zeros stays as it is."""
    import numpy

    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / numpy.where(lengths > 0, lengths, 1.0)).astype(numpy.float32, copy=False)


WORDS = 60  # of a passage
MOST_PASSAGES = 400  # passages of one text: enough for what a thought may hold
WIDE = "\u3002\uff01\uff1f"  # full stop, exclamation and question mark of scripts without spaces
# Compiled at their first use: a question needs none of them, and these classes take long.
ENDS = rf"(?<=[.!?])\s+|\n+|(?<=[{WIDE}])"
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORD = rf"[{CJK}]|[^\s{CJK}]+"  # a sign of a script without spaces is a word of its own


def cut(text: str) -> list[str]:
    """Passages of whole sentences and lines as far as they fit; a longer one is cut between words."""
    found: list[str] = []
    taken: list[str] = []
    room = WORDS
    for sentence in filter(None, map(str.strip, re.split(ENDS, text))):
        for piece, words in _pieces(sentence):
            if taken and words > room:
                found.append(" ".join(taken))
                taken, room = [], WORDS
            taken.append(piece)
            room -= words
    if taken:
        found.append(" ".join(taken))
    return found[:MOST_PASSAGES]


def _pieces(sentence: str) -> list[tuple[str, int]]:
    """A sentence with its number of words, in several pieces if it is longer than a passage."""
    places = [match.start() for match in re.finditer(WORD, sentence)]
    begins = places[::WORDS]
    ends = [*begins[1:], len(sentence)]
    counts = [min(WORDS, len(places) - at) for at in range(0, len(places), WORDS)]
    return [(sentence[begin:end].strip(), count) for begin, end, count in zip(begins, ends, counts, strict=True)]


def count(text: str) -> int:
    """The number of words in a text."""
    return len(re.findall(WORD, text))


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text the vectors of its passages; none for an empty one."""
    import numpy

    pieces = [cut(text) for text in texts]
    listed = [piece for some in pieces for piece in some]
    rows = embedder.embed(listed) if listed else numpy.zeros((0, embedder.dimension), numpy.float32)
    ends = numpy.cumsum(numpy.array([len(some) for some in pieces], dtype=int))
    return [rows[end - len(some) : end] for end, some in zip(ends.tolist(), pieces, strict=True)]


NONE, DEFAULT, ONNX, ENDPOINT = "none", "wordllama", "onnx", "openai"
WORDLLAMA = "wordllama-l2-256"  # the name of the default's vectors
SECTION = "embed"
OPTIONS = ("model", "url", "key_env", "folder")
HURRY = 10.0  # seconds that somebody who waits for an answer waits for an endpoint, once
TITLES = {
    DEFAULT: "a small model that comes with holdfast",
    ONNX: "a better one on this machine, from a folder or the extra `local`",
    ENDPOINT: "any OpenAI-compatible embeddings endpoint",
    NONE: "no vectors: search by words alone",
}


@value
class Settings:
    """The table [embed]."""

    name: str = DEFAULT
    model: str = ""
    url: str = ""
    key_env: str = ""
    folder: str = ""

    @property
    def address(self) -> str:
        """The address that texts are sent to; "" where they stay on this machine."""
        if self.name != ENDPOINT:
            return ""
        from holdfast.judge import models

        return models.base(self.url or models.OWN)

    def as_table(self) -> dict[str, str]:
        """As it is written: the name, and what was given beside it."""
        return {"name": self.name} | {one: getattr(self, one) for one in OPTIONS if getattr(self, one)}


def settings(found: Mapping[str, Any]) -> Settings:
    """Something of another type is as good as nothing. Raises UsageError for a name that nobody has."""
    return Settings(**machine.choice(found, SECTION, OPTIONS, TITLES, "embedder")) if SECTION in found else Settings()


def wished(state: str) -> Settings | None:
    """The choice in this machine's settings now; None where it names no embedder."""
    try:
        return settings(config.load(state))
    except UsageError:
        return None


def made_from(wanted: Settings, env: Mapping[str, str], *, patient: bool = True) -> Embedder | None:
    """The embedder, with no model loaded yet; None for words alone. An endpoint is tried only once for a caller that is
    not patient. Raises UsageError, NoVectors."""
    if wanted.name == NONE:
        return None
    from holdfast.field import embedder_models

    if wanted.name == DEFAULT:
        return embedder_models.WordLlama()
    if wanted.name == ONNX:
        from pathlib import Path

        return embedder_models.Onnx(Path(wanted.folder).expanduser() if wanted.folder else None)
    if not wanted.model:
        raise UsageError(
            "An embeddings endpoint needs the name of its model; nothing was changed. Give one in [embed]."
        )
    from holdfast.judge import models

    key_env = wanted.key_env or ("" if wanted.url else models.OPENAI_KEY)
    hurry: dict[str, Any] = {} if patient else {"timeout": HURRY, "tries": 1}
    return embedder_models.Endpoint(wanted.model, wanted.address, key_env, env, **hurry)


def chosen(found: Mapping[str, Any], env: Mapping[str, str]) -> Embedder | None:
    """The embedder that the settings name; None for words alone. Raises UsageError, NoVectors."""
    return made_from(settings(found), env)


class Absent:
    """The chosen embedder where it cannot be made now: a key is not set in this shell, an extra is gone. The one that
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
    """The embedder for somebody who waits for an answer: no problem with it may cost the answer."""
    try:
        return made_from(wanted, env, patient=False)
    except (UsageError, NoVectors) as error:
        return Absent(wanted, str(error))


FILE = "embedders.json"
LARGEST = 1 << 16
MOST = 8  # former embedders: vaults that were not opened since then may still be served by them


def recalled(state: str) -> dict[str, Settings]:
    """Every embedder that has a recipe, by the name that its vectors are kept under; the newest last."""
    try:
        found = codec.decode(platform.read_file(f"{state}/{FILE}", LARGEST))["known"]
        return {str(name): settings({SECTION: table}) for name, table in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError):
        return {}


def keep(state: str, made: Embedder | None, settings: Settings) -> None:
    """Keep the recipe of an embedder. The default needs none. A disk that takes nothing costs nothing else."""
    if made is None or isinstance(made, Absent) or settings.name == DEFAULT:
        return
    found = recalled(state)
    if found.get(made.name) != settings:
        found.pop(made.name, None)
        _write(state, {**found, made.name: settings})


def forget_addresses(state: str) -> None:
    """From now on nothing is sent to the address of a former endpoint."""
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
    """Makes former embedders by their names, each once."""

    def __init__(self, state: str, env: Mapping[str, str]) -> None:
        self._state = state
        self._env = env
        self._made: dict[str, Embedder | None] = {}

    def __call__(self, name: str) -> Embedder | None:
        """None where it cannot be made: then search goes by words."""
        if name not in self._made:
            default = Settings() if name == WORDLLAMA else Settings(ONNX)
            made = at_hand(recalled(self._state).get(name, default), self._env)
            self._made[name] = made if made and made.name == name else None
        return self._made[name]

    def address(self, name: str) -> str:
        """The address that this one sends texts to; "" for none."""
        found = recalled(self._state).get(name)
        return found.address if found else ""
