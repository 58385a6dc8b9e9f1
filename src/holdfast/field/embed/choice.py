"""Which embedder the user chose, from [embed] in this machine's settings.

    [embed]
    name = "wordllama"     # the default; none (words alone), onnx (a better local one), openai (any such endpoint)
    folder = "…"           # of an ONNX model with its tokenizer.json, where another than the extra's is wanted
    url = "…"              # of an endpoint; model = "…"; key_env = "VAR" names the variable that holds its key

Only the machine's own settings count: a repository cannot choose where a memory is sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as machine
from holdfast.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.field.embed.seam import Embedder

NONE, DEFAULT = "none", "wordllama"
TITLES = {
    DEFAULT: "a small model that comes with holdfast",
    "onnx": "a better one on this machine, from a folder or the extra `local`",
    "openai": "any OpenAI-compatible embeddings endpoint",
    NONE: "no vectors: search by words alone",
}


def names() -> tuple[str, ...]:
    return tuple(TITLES)


def chosen(config: Mapping[str, Any], env: Mapping[str, str]) -> Embedder | None:
    """The embedder that the settings name; None for words alone. Raises UsageError, NoVectors. Loads no model yet."""
    found = machine.section(config, "embed")

    def text(name: str) -> str:
        one = found.get(name)
        return one.strip() if isinstance(one, str) else ""

    name = text("name") or DEFAULT
    if name == NONE:
        return None
    if name == DEFAULT:
        from holdfast.field.embed import wordllama

        return wordllama.WordLlama()
    if name == "onnx":
        from holdfast.field.embed import onnx

        return onnx.Onnx(Path(text("folder")).expanduser() if text("folder") else None)
    if name == "openai":
        return _endpoint(text("model"), text("url"), text("key_env"), env)
    raise UsageError(f'"{name[:60]}" is no embedder; nothing was changed. There are {", ".join(TITLES)}.')


def _endpoint(model: str, url: str, key_env: str, env: Mapping[str, str]) -> Embedder:
    from holdfast.field.embed import endpoint
    from holdfast.judge import openai

    if not model:
        raise UsageError(
            "An embeddings endpoint needs the name of its model; nothing was changed. Give one in [embed]."
        )
    if not url:
        key_env = key_env or openai.KEY_ENV
    return endpoint.Endpoint(model, openai.base(url or openai.OWN), key_env, env)
