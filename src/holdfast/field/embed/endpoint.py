"""Any endpoint that speaks OpenAI's embeddings: OpenAI itself, Ollama, vLLM, LM Studio, llama.cpp.

It is called as judges are (judge/http): one deadline for a whole call, no redirect, the key in a header and from a
variable of the environment only. What may succeed later is tried again with growing pauses. Texts leave this machine
only where the user has named such an endpoint in its own settings.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from typing import TYPE_CHECKING, Any

from holdfast.errors import JudgeFailed
from holdfast.field.embed.choice import NoVectors, unit
from holdfast.judge.models import OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.field.embed.choice import Vectors
    from holdfast.judge.http import Place

NAME = "openai"
BATCH = 64  # texts of one call; a larger answer could be over what is read of one
LONGEST = 20_000  # characters of a text; more is over what any of these models reads
TRIES = 4
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds; also of what the other side asks for
TIMEOUT = 60.0
EXTRA = (
    "An embeddings endpoint needs httpx2, which is not installed; nothing was changed, and search goes on by what "
    f"serves. Run `{sys.executable} -m pip install httpx2`, then the same command again."
)


class Endpoint:
    """One address and model."""

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

        self.model = model
        self._where: Place = http.place("the embedder", url, key_env, env)
        # Two places may call two models the same, so the place is part of the name.
        self.name = f"{NAME}:{model}" + ("" if self._where.url == OWN else f"@{self._where.url.partition('://')[2]}")
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

        asked = [(at, text.strip()[:LONGEST]) for at, text in enumerate(texts) if text.strip()]
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
