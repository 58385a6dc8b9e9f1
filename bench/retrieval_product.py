"""The same questions asked of the product itself: a vault, its store in SQLite, vectors of one byte a number.

The other rows of bench/retrieval.py run the product's ranking over an index in memory, so that parts of it can be left
out; this one shows that what is installed answers alike. Texts are kept as they come, with nothing more said of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdfast.capture import home
from holdfast.field import handle, intake, retrieval, traffic
from holdfast.field.embedders import Embedder
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from retrieval_data import Memory

KEPT_AT = 1_790_000_000.0
AT_ONCE = 500


def answers(memory: Memory, embedder: Embedder | None, now: float, most: int) -> Iterator[list[str]]:
    """For each query the ids that `recall` finds, the best first."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        vault = str(Path(folder) / "vault")
        home.make_vault(vault)
        _keep(vault, memory.docs)
        with handle.opened(vault, embedder, lambda: now or KEPT_AT) as field:
            intake.sync(field)
            for query in memory.queries:
                found = retrieval.ask(field, query.text, Scope("bench"), most)
                yield [one.thought.id for one in found.results]


def _keep(vault: str, docs: Sequence[tuple[str, str]]) -> None:
    made = [
        Thought(ident, text, agent="bench", project="bench", created=KEPT_AT + at / 1000)
        for at, (ident, text) in enumerate(docs)
    ]
    for begin in range(0, len(made), AT_ONCE):
        traffic.append(vault, made[begin : begin + AT_ONCE], KEPT_AT)
