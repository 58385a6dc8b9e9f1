"""The embedded store and a team's give the same answers: the same order, and the same figures to the last one shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.field import embedders, embedding, retrieval
from holdfast.field.handle import Field
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event

if TYPE_CHECKING:
    from team_support import Team

    from holdfast.field.store import Store

pytestmark = pytest.mark.slow

SET = Path(__file__).resolve().parents[2] / "bench" / "small_set.jsonl"
NOW = 1_790_000_000.0
AGENTS = ("ada", "bob", "cid")


def groups() -> list[dict[str, list[list[str]]]]:
    return [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines() if line.strip()]


def filled(store: Store, docs: list[list[str]]) -> Field:
    """The texts, in two projects and with titles and tags here and there, their vectors, and some use."""
    made = [
        Thought(
            ident,
            text,
            project="shop" if at % 3 else "",
            title=text[:20] if at % 5 == 0 else "",
            tags=("billing",) if at % 7 == 0 else (),
            session=f"s{at // 10}",
            created=NOW + at,
        )
        for at, (ident, text) in enumerate(docs)
    ]
    store.take("all", "1", made, [(made[0].id, made[1].id)])
    model = embedders.at_hand(embedders.Settings(), {})
    assert model is not None
    field = Field("", store, model, lambda: NOW + 90_000)
    embedding.give(field, model)
    embedding.finish(field, model)
    use = [
        Event(NOW + at * 60, GOT, tuple(one.id for one in made[at : at + 3]), AGENTS[at % 3])
        for at in range(0, len(made), 2)
    ]
    store.travel(use, 1)
    return field


def shown(field: Field, query: str, scope: Scope) -> list[tuple[str, float, float, float, str]]:
    found = retrieval.ask(field, query, scope, 10).results
    return [
        (one.thought.id, round(one.score, 4), round(one.relevance, 4), round(one.weight, 4), one.why) for one in found
    ]


def test_every_question_has_the_same_answer_in_both_stores(team: Team, tmp_path: Path) -> None:
    asked = 0
    for at, group in enumerate(groups()):
        docs = group["docs"]
        ours = filled(SqliteStore(f"{tmp_path}/{at}.db"), docs)
        theirs = filled(team.store(team=f"team{at}"), docs)
        for _, query, *_ in group["queries"]:
            for scope in (Scope("shop"), Scope(), Scope("shop", also_global=False, since=NOW + 5)):
                assert shown(theirs, query, scope) == shown(ours, query, scope), (query, scope)
                asked += 1
        ours.store.close()
    assert asked > 50


@pytest.mark.parametrize(
    "terms",
    [
        ("lease", "leases", "leasing"),  # a stem that the query has three times
        ("the lease", "lease expires", "a b c"),
        ("größe", "grosse", "GRÖSSE"),
        ("e mail", "foo bar baz"),
        ("\u4f60\u597d", "\u597d"),
    ],
)
def test_words_phrases_and_stems_score_alike(team: Team, tmp_path: Path, terms: tuple[str, ...]) -> None:
    texts = [
        "the lease expires; leases expire; leasing",
        "lease_expires is set, and the lease expires",
        "größe und GRÖSSE, e-mail",
        "foo_bar.baz and foo bar, bar baz, foo bar baz",
        "\u4f60\u597d\u4e16\u754c lease",
        "a b c a b c",
        *(f"filler number {nth} about leases" for nth in range(9)),
    ]
    made = [Thought(f"t{at}", text, title=f"lease {at}" * (at % 2), created=NOW) for at, text in enumerate(texts)]
    ours, theirs = SqliteStore(f"{tmp_path}/a.db"), team.store()
    for store in (ours, theirs):
        store.take("all", "1", made)
        store.take("all", "2", made[2:], anew=True)  # what was taken away is counted no more
    found = [store.lexical(terms, Scope(), 20) for store in (ours, theirs)]
    assert [hit.id for hit in found[1]] == [hit.id for hit in found[0]]
    assert [hit.score for hit in found[1]] == pytest.approx([hit.score for hit in found[0]], rel=1e-12)
    ours.close()
