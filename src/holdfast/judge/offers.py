"""Which judges would work on this machine, found without asking a model anything and without spending anything.

An agent's command line by its program, an API by the key in the environment, Ollama by its own list of models on
loopback.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.judge import anthropic, claude_code, codex, openai, programs
from holdfast.judge.choice import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OLLAMA = ("127.0.0.1", 11434)
PATIENCE = 0.5  # seconds; a server on this machine answers at once or is not there
LARGEST = 1 << 20


@dataclass(frozen=True)
class Offer:
    """A judge that would work here, and how one comes to it."""

    name: str
    model: str
    detail: str

    @property
    def command(self) -> str:
        return f"holdfast judge {self.name}{f' --model {self.model}' if self.name == 'ollama' else ''}"

    @property
    def settings(self) -> Settings:
        return Settings(self.name, self.model if self.name == "ollama" else "")

    def as_record(self) -> dict[str, str]:
        return {"name": self.name, "model": self.model, "detail": self.detail, "command": self.command}


def found(env: Mapping[str, str], ollama: tuple[str, int] = OLLAMA) -> list[Offer]:
    """What works here, those that need no key first."""
    return [*_programs(env), *_ollama(ollama), *_keys(env)]


def _programs(env: Mapping[str, str]) -> Iterator[Offer]:
    for module, word in ((claude_code, "claude"), (codex, "codex")):
        path = programs.find(word, env, beside=False)
        if path:
            yield Offer(module.NAME, module.MODEL, f"{module.TITLE} at {path}, with your login there")


def _keys(env: Mapping[str, str]) -> Iterator[Offer]:
    if env.get(anthropic.KEY_ENV):
        yield Offer("anthropic", anthropic.MODEL, f"Anthropic's API, with the key in {anthropic.KEY_ENV}")
    if env.get(openai.KEY_ENV):
        yield Offer("openai", openai.MODEL, f"OpenAI's API, with the key in {openai.KEY_ENV}")


def _ollama(place: tuple[str, int]) -> Iterator[Offer]:
    listed = _tags(place)
    models = [str(one["name"]) for one in listed if isinstance(one, dict) and one.get("name")]
    if models:
        more = f", {len(models)} models" if len(models) > 1 else ""
        yield Offer("ollama", models[0], f"Ollama on this machine{more}; nothing leaves it")


def _tags(place: tuple[str, int]) -> list[Any]:
    """What Ollama has; [] where nothing like it answers."""
    connection = http.client.HTTPConnection(*place, timeout=PATIENCE)
    try:
        connection.request("GET", "/api/tags")
        answer = connection.getresponse()
        told = json.loads(answer.read(LARGEST)) if answer.status == 200 else {}
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return []
    finally:
        connection.close()
    listed = told.get("models") if isinstance(told, dict) else None
    return listed if isinstance(listed, list) else []
