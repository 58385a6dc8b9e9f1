"""The default: WordLlama's table of 32,000 word pieces, 256 numbers each, whose mean is the vector of a text.

The weights come with the package, so it works without a network as soon as it is installed. Only the files are taken
from it: importing the package takes over the program's logging, looks for its tokenizer where it is not, and turns the
whole table into floats. Here the table is mapped, and a query touches the few rows that it needs.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.field.embed.choice import NoVectors, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.embed.choice import Vectors

PACKAGE = "wordllama"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
NAME = "wordllama-l2-256"
DIMENSION = 256
MISSING = "WordLlama is not installed as holdfast needs it; nothing was changed, and search by words goes on."


def folder() -> Path | None:
    """Where the package keeps its files; None if it is not installed or has no weights."""
    found = importlib.util.find_spec(PACKAGE)
    places = found.submodule_search_locations if found else None
    place = Path(next(iter(places))) if places else None
    return place if place and (place / WEIGHTS).is_file() and (place / TOKENS).is_file() else None


class WordLlama:
    """Loaded at the first text."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, place: Path | None = None) -> None:
        self._place = place
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        table, tokenizer = self._loaded
        made = numpy.zeros((len(texts), DIMENSION), dtype=numpy.float32)
        for at, encoded in enumerate(
            tokenizer.encode_batch([_clean(text) for text in texts], add_special_tokens=False)
        ):
            if encoded.ids:
                rows = numpy.minimum(numpy.asarray(encoded.ids), len(table) - 1)
                made[at] = table[rows].mean(axis=0, dtype=numpy.float32)
        return unit(made)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        with self._loading:
            place = self._place or folder()
            if place is None:
                raise NoVectors(MISSING)
            try:
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(place / TOKENS))
                tokenizer.no_padding()
                tokenizer.no_truncation()
                return _table(place / WEIGHTS), tokenizer
            except Exception as error:  # those of the tokenizer share no class
                raise NoVectors(f"{MISSING} ({type(error).__name__})") from None


def _clean(text: str) -> str:
    """Half of a surrogate pair, as a cut text may have, is no text to a tokenizer."""
    return text.strip().encode("utf-8", "replace").decode("utf-8")


def _table(path: Path) -> Any:
    """The one tensor of a safetensors file, mapped: length of the header, the header as JSON, the numbers."""
    import numpy

    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    (told,) = header.values()
    if told["dtype"] != "F16" or told["shape"][1] != DIMENSION:
        raise ValueError("not the table that this code knows")
    begin = 8 + size + told["data_offsets"][0]
    return numpy.memmap(path, dtype="<f2", mode="r", offset=begin, shape=tuple(told["shape"]))
