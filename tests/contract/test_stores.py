"""The contract of a store, run against every implementation: what was taken in is found, and nothing by halves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from holdfast.field.sqlite import vectors
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Asked, Mark, Scope, Store
from holdfast.field.thought import WITHDRAWN, Thought, Traffic
from holdfast.field.traffic import GOT, MOST_LOGGED, MOST_TOGETHER, USED, Event
from holdfast.model import replace

sys.path.append(str(Path(__file__).resolve().parent))
from memory_store import MemoryStore

NOW = 1_790_000_000.0
MODEL = "test-4"
Making = Callable[[], Store]


@pytest.fixture(params=["sqlite", "memory", pytest.param("postgres", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "postgres":
        yield request.getfixturevalue("team_store")
        return
    made: Store = SqliteStore(f"{tmp_path}/field.db") if request.param == "sqlite" else MemoryStore()
    yield made
    made.close()


def a_thought(ident: str, text: str = "", **more: Any) -> Thought:
    return Thought(ident, text or f"words of {ident}", created=NOW, **more)


def put(store: Store, *thoughts: Thought, place: str = "here") -> None:
    store.take(place, "1", thoughts)


def direction(*parts: float) -> Any:
    row = numpy.array(parts, dtype=numpy.float32)
    return row / numpy.linalg.norm(row)


def found(store: Store, *terms: str, **scope: Any) -> list[str]:
    return [hit.id for hit in store.lexical(terms, Scope(**scope), 10)]


def test_a_thought_comes_back_with_everything_it_had(store: Store) -> None:
    one = Thought(
        "a",
        "größe \u2713 'quoted' \"twice\" 100% _",
        "in the middle of it",
        "refinement",
        "Ada",
        "claude-code",
        "claude-code/s1/1",
        "shop",
        "ideas",
        ("locking", "orders and more"),
        "decision",
        ("b", "c"),
        "web",
        NOW + 0.123456,
        "knowledge/a.md",
        "A title",
        start=2.5,
    )
    put(store, one)
    assert store.thoughts(["a", "unknown"]) == {"a": one}
    assert store.texts(["a"]) == {"a": one.text}
    assert store.facts(["a", "b"])["a"].speaker == "Ada"
    assert store.facts(["a"])["a"].created == one.created


def test_a_place_taken_anew_holds_what_it_holds_now(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    store.take("here", "2", [a_thought("b", "other words"), a_thought("c")])
    assert set(store.thoughts("abc")) == {"b", "c"}
    assert store.places() == {"here": "2"}
    assert found(store, "other") == ["b"]
    assert found(store, "of") == ["c"], "it is not found by what it said before"


def test_a_place_that_grew_keeps_what_it_had(store: Store) -> None:
    put(store, a_thought("a"))
    store.take("here", "2", [a_thought("b")], anew=False)
    assert set(store.thoughts("ab")) == {"a", "b"}


def test_a_place_that_is_gone_takes_its_thoughts_with_it(store: Store) -> None:
    put(store, a_thought("a", "alpha"))
    put(store, a_thought("b", "beta"), place="there")
    store.forget("here")
    assert set(store.thoughts("ab")) == {"b"}
    assert found(store, "alpha", "beta") == ["b"]
    assert store.places() == {"there": "1"}


def test_a_thought_that_moved_survives_the_end_of_its_old_place(store: Store) -> None:
    put(store, a_thought("a"))
    put(store, replace(a_thought("a"), path="outputs/a.md"), place="archive")
    store.forget("here")
    assert store.thoughts("a")["a"].path == "outputs/a.md"


def test_places_are_listed_by_what_they_begin_with(store: Store) -> None:
    store.note_places({"@notes": "1", "@walk": "2", "knowledge/a.md": "3", "knowledge_/b.md": "4"})
    assert store.places("@") == {"@notes": "1", "@walk": "2"}
    assert store.places("knowledge/") == {"knowledge/a.md": "3"}
    store.note_places({"@walk": "5"})
    assert store.places("@walk") == {"@walk": "5"}


@pytest.mark.parametrize("old_first", [True, False])
def test_a_superseded_thought_says_by_what_in_whatever_order_they_come(store: Store, old_first: bool) -> None:
    def old() -> None:
        put(store, a_thought("old"), place="one")

    def new() -> None:
        store.take("two", "1", [a_thought("new")], [("old", "new")])

    for step in (old, new) if old_first else (new, old):
        step()
    assert store.thoughts(["old", "new"])["old"].superseded_by == "new"
    assert store.thoughts(["new"])["new"].superseded_by == ""
    store.forget("two")
    assert store.thoughts(["old"])["old"].superseded_by == "", "what superseded it was taken back"


def test_a_successor_counts_before_a_withdrawal(store: Store) -> None:
    store.take("one", "1", [a_thought("01OLD")], [("01OLD", WITHDRAWN)])
    assert store.thoughts(["01OLD"])["01OLD"].superseded_by == WITHDRAWN
    store.take("two", "1", [a_thought("n-new")], [("01OLD", "n-new")])
    assert store.thoughts(["01OLD"])["01OLD"].superseded_by == "n-new"


def test_words_find_by_any_of_them_and_more_of_them_better(store: Store) -> None:
    put(store, a_thought("a", "orders use locking"), a_thought("b", "orders retry"), a_thought("c", "the page is blue"))
    assert found(store, "orders", "locking") == ["a", "b"]
    assert found(store, "violet") == []
    assert found(store) == []
    assert store.lexical(["orders"], Scope(), 0) == []
    assert [hit.id for hit in store.lexical(["orders"], Scope(), 1)] in (["a"], ["b"])


def test_a_phrase_is_found_as_one(store: Store) -> None:
    put(store, a_thought("a", "lease_expires is set"), a_thought("b", "it expires; the lease is long"))
    assert found(store, "lease expires") == ["a"]


def test_parts_of_names_tags_and_titles_are_found(store: Store) -> None:
    put(
        store, a_thought("a", "leaseExpires is set"), a_thought("b", tags=("billing",)), a_thought("c", title="Retries")
    )
    assert found(store, "expires") == ["a"]
    assert found(store, "billing") == ["b"]
    assert found(store, "retries") == ["c"]


@pytest.mark.parametrize(
    "term", ['"', '""', 'a" OR "b', "*", "NEAR(", "title:x", "-", "AND", "^", "", " ", "\0", "{x}:y", "'"]
)
def test_a_term_of_any_signs_is_only_looked_up(store: Store, term: str) -> None:
    put(store, a_thought("a", "orders use locking"))
    assert store.lexical([term], Scope("shop"), 5) == []
    assert found(store, term, "orders") == ["a"]


def test_every_filter_of_a_scope_holds_in_every_search(store: Store) -> None:
    base = a_thought("base", "same words")
    all_of_them = {
        "base": base,
        "shop": replace(base, id="shop", project="shop"),
        "other": replace(base, id="other", project="other"),
        "space": replace(base, id="space", space="ideas"),
        "kind": replace(base, id="kind", kind="bridge"),
        "category": replace(base, id="category", category="decision"),
        "old": replace(base, id="old", created=NOW - 1000),
        "web": replace(base, id="web", origin="web"),
        "codex": replace(base, id="codex", agent="codex"),
    }
    put(store, *all_of_them.values())
    store.embed(MODEL, {one: direction(1, 0, 0, 0) for one in all_of_them})
    everything = set(all_of_them)
    for scope, wanted in (
        (Scope(), everything),
        (Scope("shop"), everything - {"other"}),
        (Scope("shop", also_global=False), {"shop"}),
        (Scope(""), everything - {"other", "shop"}),
        (Scope("nobody's", also_global=False), set()),
        (Scope(space="ideas"), {"space"}),
        (Scope(kinds=("bridge", "decision")), {"kind", "category"}),
        (Scope(since=NOW - 10), everything - {"old"}),
        (Scope(until=NOW - 10), {"old"}),
        (Scope(trust=("user", "agent")), everything - {"web"}),
        (Scope(agent="codex"), {"codex"}),
        (Scope("shop", trust=("web",)), {"web"}),
    ):
        assert {hit.id for hit in store.lexical(["same"], scope, 20)} == wanted, scope
        assert {hit.id for hit in store.nearest(direction(1, 0, 0, 0), scope, 20)} == wanted, scope
        assert {one for one, known in all_of_them.items() if scope.has(known)} == wanted, scope
        assert store.count(scope) == len(wanted), scope


def test_a_thought_that_changed_its_project_is_found_there_only(store: Store) -> None:
    put(store, a_thought("a", project="shop"))
    store.embed(MODEL, {"a": direction(1, 0, 0, 0)})
    put(store, a_thought("a", project="other"))
    assert found(store, "words", project="shop") == []
    assert found(store, "words", project="other") == ["a"]
    assert [one.id for one in store.unembedded(MODEL, 5)] == ["a"]
    store.embed(MODEL, {"a": direction(1, 0, 0, 0)})
    assert store.nearest(direction(1, 0, 0, 0), Scope("shop"), 5) == []
    assert [hit.id for hit in store.nearest(direction(1, 0, 0, 0), Scope("other"), 5)] == ["a"]


def test_vectors_find_by_nearness_and_of_several_passages_the_best_counts(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"), a_thought("c"))
    store.embed(MODEL, {"a": direction(1, 1, 0, 0), "b": numpy.stack([direction(0, 0, 1, 0), direction(1, 0, 0, 0)])})
    hits = store.nearest(direction(1, 0, 0, 0), Scope(), 5)
    assert [hit.id for hit in hits] == ["b", "a"]
    assert hits[0].score == pytest.approx(1.0, abs=0.01)
    assert hits[1].score == pytest.approx(0.707, abs=0.01)
    assert store.nearest(direction(1, 0), Scope(), 5) == [], "a vector of another length is near nothing"
    assert store.nearest(direction(1, 0, 0, 0), Scope(), 5, "another") == []


def test_a_text_that_changed_has_no_vector_until_it_gets_one(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    store.embed(MODEL, dict.fromkeys("ab", direction(1, 0, 0, 0)))
    assert store.unembedded(MODEL, 5) == []
    assert store.lacking(MODEL) == 0
    put(store, a_thought("a", "other words"), a_thought("b"))
    assert [one.id for one in store.unembedded(MODEL, 5)] == ["a"]
    assert store.lacking(MODEL) == 1
    assert [hit.id for hit in store.nearest(direction(1, 0, 0, 0), Scope(), 5)] == ["b"]


def test_another_model_takes_over_once_it_is_complete_and_search_goes_on_meanwhile(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    store.embed(MODEL, dict.fromkeys("ab", direction(1, 0, 0, 0)))
    assert store.serving() == MODEL
    store.embed("next-2", {"a": direction(1, 0)})
    assert store.serving() == MODEL
    assert len(store.nearest(direction(1, 0, 0, 0), Scope(), 5)) == 2
    assert [hit.id for hit in store.nearest(direction(1, 0), Scope(), 5, "next-2")] == ["a"]
    assert [one.id for one in store.unembedded("next-2", 5)] == ["b"]
    assert (store.lacking("next-2"), store.lacking("another"), store.lacking(MODEL)) == (1, 2, 0)
    store.embed("next-2", {"b": direction(0, 1)})
    store.serve("next-2")
    assert store.serving() == "next-2"
    assert store.nearest(direction(1, 0, 0, 0), Scope(), 5, MODEL) == []
    assert len(store.nearest(direction(1, 0), Scope(), 5)) == 2
    assert store.unembedded("next-2", 5) == []


def test_a_store_that_is_sound_has_no_flaw(store: Store) -> None:
    put(store, a_thought("a"))
    assert store.flaw(5.0) == ""


def test_the_same_text_is_found_in_its_own_project_and_space_only(store: Store) -> None:
    put(store, a_thought("a", "Orders use  LOCKING.", project="shop"))
    assert store.same("orders use locking", "shop", "") == "a"
    assert store.same("orders use locking", "", "") == ""
    assert store.same("orders use locking", "shop", "ideas") == ""
    assert store.same("orders use no locking", "shop", "") == ""
    store.take("there", "1", [a_thought("b", project="shop")], [("a", "b")])
    assert store.same("orders use locking", "shop", "") == "", "what was superseded may be said again"


def test_neighbours_are_those_of_the_same_session(store: Store) -> None:
    said = [replace(a_thought(one, session="s1"), created=NOW + at) for at, one in enumerate("abcd")]
    put(store, *said, a_thought("x", session="s2"), a_thought("y"))
    assert store.neighbours(["b", "x", "y"], 2).get("b") == [("a", 1), ("c", 1), ("d", 2)]
    assert store.neighbours(["x"], 2).get("x", []) == []
    assert store.neighbours(["y"], 2).get("y", []) == []


def got(*ids: str, agent: str = "ada", time: float = NOW, **more: Any) -> Event:
    return Event(time, GOT, ids, agent, **more)


def test_an_event_reaches_each_of_its_thoughts_and_the_log_of_queries(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    with store.writing():
        store.travel([got("a", "b", query="why?", project="shop", new={"a": (2.0, NOW), "b": (1.0, NOW)})], 70)
    assert store.travelled() == 70
    known = store.traffic("abc")
    assert known["a"] == Traffic(1, NOW, 2.05, ("ada",), ((NOW, "ada"),), {"b": 1})
    assert known["b"].weight == pytest.approx(1.05)
    assert store.asked(0, 5) == [Asked(NOW, "ada", "shop", "why?", ("a", "b"))]
    with store.writing():
        store.travel([Event(NOW, USED, ("a",), "bob")], 90)
    assert store.traffic("a")["a"].access_count == 1
    assert store.traffic("a")["a"].weight == pytest.approx(2.07)
    assert store.traffic("a", whole=False)["a"].weight == pytest.approx(2.07)
    assert len(store.asked(0, 5)) == 1
    with store.writing():
        store.forget_traffic()
    assert (store.traffic("ab"), store.asked(0, 5), store.travelled()) == ({}, [], 0)


def test_a_question_that_found_nothing_is_in_the_log_of_queries(store: Store) -> None:
    with store.writing():
        store.travel([got(query="why?", project="shop")], 40)
    assert store.asked(0, 5) == [Asked(NOW, "ada", "shop", "why?", ())]
    assert store.travelled() == 40


def test_use_is_known_of_a_thought_that_is_gone_and_comes_back(store: Store) -> None:
    put(store, a_thought("a"))
    store.travel([got("a")], 1)
    store.forget("here")
    assert store.busiest(1, 1, Scope(), 5) == []
    put(store, a_thought("a"))
    assert store.traffic("a")["a"].access_count == 1


def test_logs_and_neighbours_are_capped(store: Store) -> None:
    events = [got("a", f"n{nth:03}", "often", time=NOW + nth) for nth in range(MOST_LOGGED + 20)]
    store.travel(events, 1)
    known = store.traffic("a")["a"]
    assert len(known.log) == MOST_LOGGED
    assert known.log[-1][0] == NOW + MOST_LOGGED + 19
    assert len(known.together) == MOST_TOGETHER
    assert known.together["often"] == MOST_LOGGED + 20
    assert f"n{MOST_LOGGED + 19:03}" in known.together, "the newest of those that were met once stays"
    assert "n000" not in known.together


def test_the_busiest_are_those_that_several_agents_read_often(store: Store) -> None:
    put(store, *(a_thought(one) for one in "abc"), a_thought("d", project="other"))
    events = [got("a", agent=agent) for agent in ("ada", "bob", "ada")]
    events += [got("b", agent=agent) for agent in ("ada", "bob", "cid")]
    events += [got("c", agent="ada")] * 9 + [got("d", agent=agent) for agent in ("ada", "bob", "ada")]
    store.travel(events, 1)
    assert [(hit.id, hit.score) for hit in store.busiest(3, 2, Scope("shop"), 5)] == [("b", 9), ("a", 6)]
    assert [hit.id for hit in store.busiest(3, 2, Scope(), 1)] == ["b"]
    assert "d" in [hit.id for hit in store.busiest(3, 2, Scope("other"), 5)]


def test_what_fails_within_a_writing_leaves_nothing_behind(store: Store) -> None:
    put(store, a_thought("a", "alpha"))

    def fail() -> None:
        with store.writing():
            put(store, a_thought("b", "beta"), place="there")
            store.travel([got("a")], 9)
            store.forget("here")
            raise RuntimeError("the machine stumbled")

    with pytest.raises(RuntimeError):
        fail()
    assert set(store.thoughts("ab")) == {"a"}
    assert found(store, "alpha", "beta") == ["a"]
    assert store.travelled() == 0


def test_everything_can_be_cleared_and_taken_in_again(store: Store) -> None:
    for _ in range(2):
        put(store, a_thought("a", "alpha"), a_thought("b", "beta"))
        store.embed(MODEL, {"a": direction(1, 0, 0, 0), "b": direction(0, 1, 0, 0)})
        store.travel([got("a")], 5)
        assert [hit.id for hit in store.nearest(direction(1, 0, 0, 0), Scope(), 1)] == ["a"]
        with store.writing():
            store.clear()
        assert (store.count(), store.places(), store.travelled(), store.serving()) == (0, {}, 0, "")
        assert store.nearest(direction(1, 0, 0, 0), Scope(), 5) == []
        assert store.traffic("ab") == {}


def test_a_text_that_is_edited_again_and_again_is_found_by_what_it_says_now(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "FEW", 4)
    put(store, a_thought("b"))
    store.embed(MODEL, {"b": direction(0, 1, 0, 0)})
    for nth in range(60):
        put(store, a_thought("a", f"edition {nth}"), place="there")
        store.embed(MODEL, {"a": direction(1, nth, 0, 0)})
    assert [hit.id for hit in store.nearest(direction(1, 0, 0, 0), Scope(), 5)] == ["a", "b"]
    (near, _) = store.nearest(direction(1, 59, 0, 0), Scope(), 5)
    assert near.id == "a"
    assert near.score == pytest.approx(1.0, abs=0.01)
    assert store.unembedded(MODEL, 5) == []


PARTS = st.lists(st.floats(-1, 1, width=16), min_size=4, max_size=4).filter(any)


@pytest.mark.slow
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(PARTS, st.sampled_from(["", "shop", "other"]), st.booleans()), min_size=1, max_size=40),
    wanted=PARTS,
    most=st.integers(1, 12),
)
def test_the_nearest_are_exactly_the_nearest_however_few_a_filter_lets_through(
    tmp_path: Path, rows: list[tuple[list[float], str, bool]], wanted: list[float], most: int
) -> None:
    made: Store = SqliteStore(f"{tmp_path}/field.db")
    with made.writing():
        made.clear()
    thoughts = [
        a_thought(f"t{nth}", project=project, space="ideas" * odd) for nth, (_, project, odd) in enumerate(rows)
    ]
    put(made, *thoughts)
    made.embed(MODEL, {one.id: direction(*row[0]) for one, row in zip(thoughts, rows, strict=True)})
    query = direction(*wanted)
    for scope in (Scope(), Scope("shop", also_global=False), Scope("other", space="ideas")):
        exact = {
            one.id: float(direction(*row[0]) @ query) for one, row in zip(thoughts, rows, strict=True) if scope.has(one)
        }
        hits = made.nearest(query, scope, most)
        assert len(hits) == min(most, len(exact))
        for hit in hits:
            assert hit.score == pytest.approx(exact[hit.id], abs=0.02)
        cut = sorted(exact.values(), reverse=True)[: len(hits)]
        assert all(exact[hit.id] >= cut[-1] - 0.04 for hit in hits)
    made.close()


def vectors_of(model: str, store: Store) -> tuple[list[str], list[str]]:
    near = store.nearest(direction(1, 1, 0, 0), Scope(), 9, model)
    return sorted(one.id for one in store.unembedded(model, 10)), sorted(hit.id for hit in near)


class Both(RuleBasedStateMachine):
    """Whatever is done, in whatever order, the file says what the plain one says."""

    folder = Path()

    def __init__(self) -> None:
        super().__init__()
        self.plain = MemoryStore()
        self.file = SqliteStore(f"{self.folder}/both.db")
        with self.file.writing():
            self.file.clear()

    def both(self, do: Callable[[Store], Any]) -> None:
        assert do(self.plain) == do(self.file)

    idents = st.lists(st.sampled_from("abcdef"), max_size=4, unique=True)
    spots = st.sampled_from(["p1", "p2", "p3"])
    pairs = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=2)

    @rule(ids=idents, place=spots, text=st.sampled_from(["one", "two words"]), anew=st.booleans(), pairs=pairs)
    def take(self, ids: list[str], place: str, text: str, anew: bool, pairs: list[tuple[str, str]]) -> None:
        made = [a_thought(one, f"{text} {one}") for one in ids]
        self.both(lambda store: store.take(place, text, made, pairs, anew=anew))

    @rule(place=spots)
    def forget(self, place: str) -> None:
        self.both(lambda store: store.forget(place))

    @rule(ids=idents, model=st.sampled_from([MODEL, "other"]))
    def embed(self, ids: list[str], model: str) -> None:
        self.both(lambda store: store.embed(model, {one: direction(ord(one) - 96, 1, 0, 0) for one in ids}))

    @rule(model=st.sampled_from([MODEL, "other"]))
    def serve(self, model: str) -> None:
        self.both(lambda store: store.serve(model))

    @rule(ids=idents, agent=st.sampled_from(["ada", "bob"]), later=st.integers(-5, 50))
    def travel(self, ids: list[str], agent: str, later: int) -> None:
        self.both(lambda store: store.travel([got(*ids, agent=agent, time=NOW + later * 3600)], store.travelled() + 1))

    @invariant()
    def they_say_the_same(self) -> None:
        self.both(lambda store: store.thoughts("abcdef"))
        self.both(lambda store: store.places())
        self.both(lambda store: store.traffic("abcdef"))
        self.both(lambda store: store.asked(0, 100))
        self.both(lambda store: store.busiest(3, 2, Scope(), 10))
        self.both(lambda store: store.serving())
        self.both(lambda store: sorted(hit.id for hit in store.lexical(["two"], Scope(), 10)))
        for model in (MODEL, "other"):
            self.both(partial(vectors_of, model))

    def teardown(self) -> None:
        self.file.close()


@pytest.mark.slow
def test_the_file_and_the_plain_one_never_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "FEW", 2)  # so that vectors are numbered anew on the way
    Both.folder = tmp_path
    run_state_machine_as_test(Both, settings=settings(deadline=None, max_examples=40, stateful_step_count=15))


def test_a_mark_of_superseding_counts_until_its_step_is_taken_back(store: Store) -> None:
    put(store, a_thought("old"), a_thought("new"))
    store.mark("night", "1", [Mark("s1", "superseded", "old", "new")])
    assert store.thoughts(["old"])["old"].superseded_by == "new"
    store.mark("elsewhere", "1", [Mark("s2", "undone", "s1")])
    assert store.thoughts(["old"])["old"].superseded_by == ""


def test_marks_are_the_same_in_whatever_order_they_come(store: Store) -> None:
    put(store, a_thought("old"), a_thought("new"))
    store.mark("elsewhere", "1", [Mark("s2", "undone", "s1")])
    store.mark("night", "1", [Mark("s1", "superseded", "old", "new"), Mark("s3", "linked", "old", "new")])
    assert store.thoughts(["old"])["old"].superseded_by == ""
    assert store.marks("linked", ["old", "new"]) == {"old": {"new": 1.0}}


def test_marks_of_one_pair_add_up_over_steps(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    store.mark("night", "1", [Mark("s1", "tied", "a", "b", 2.0)])
    store.mark("night", "2", [Mark("s2", "tied", "a", "b", 1.5)], anew=False)
    assert store.marks("tied", ["a", "b", "unknown"]) == {"a": {"b": 3.5}}
    store.mark("night", "3", [], anew=True)
    assert store.marks("tied", ["a"]) == {}


def test_what_is_archived_is_found_only_by_asking_for_it_and_comes_back(store: Store) -> None:
    put(store, a_thought("a", "quick brown fox"), a_thought("b", "quick red fox"))
    store.embed(MODEL, {"a": direction(1, 0, 0, 0), "b": direction(1, 1, 0, 0)})
    store.mark("night", "1", [Mark("s1", "archived", "a", "", 100.0)])
    assert found(store, "fox") == ["b"]
    assert [hit.id for hit in store.nearest(direction(1, 0, 0, 0), Scope(), 5)] == ["b"]
    assert store.count() == 1
    assert store.archived(["a", "b"]) == {"a"}
    assert sorted(found(store, "fox", archived=True)) == ["a", "b"]
    assert [hit.id for hit in store.nearest(direction(1, 0, 0, 0), Scope(archived=True), 5)] == ["a", "b"]
    store.mark("day", "1", [Mark("s2", "restored", "a", "", 200.0)])
    assert sorted(found(store, "fox")) == ["a", "b"]
    store.mark("later", "1", [Mark("s3", "archived", "a", "", 300.0)])
    assert found(store, "fox") == ["b"]
    store.forget("later")
    assert sorted(found(store, "fox")) == ["a", "b"]


def test_what_came_changed_or_was_read_is_fresh_until_sleep_has_dealt_with_it(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    assert store.fresh(NOW, 10) == [("a", NOW), ("b", NOW)]
    assert store.unslept() == (2, NOW)
    with store.writing():
        store.rested({"a": NOW, "b": NOW - 1})
    assert store.fresh(NOW, 10) == [("b", NOW)]
    with store.writing():
        store.rested({"b": NOW})
        store.travel([Event(NOW + 5, GOT, ("a", "unknown"))], 1)
    assert store.fresh(NOW, 10) == []
    assert store.fresh(NOW + 5, 10) == [("a", NOW + 5)]
    put(store, a_thought("a"), a_thought("b", "other words"))
    assert [one for one, _ in store.fresh(NOW + 5, 10)] == ["b", "a"]
    put(store, a_thought("a"))
    assert store.unslept() == (1, NOW + 5)


def test_vectors_come_back_as_whole_numbers_that_keep_their_direction(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"), a_thought("bare"))
    both = numpy.stack([direction(1, 0, 0, 0), direction(0, 1, 0, 0)])
    store.embed(MODEL, {"a": direction(3, 4, 0, 0), "b": both})
    rows = store.vectors(["a", "b", "bare", "unknown"])
    assert rows.keys() == {"a", "b"}
    assert [float(one) for one in rows["a"]] == [95.0, 127.0, 0.0, 0.0]
    assert [float(one) for one in rows["b"]] == [127.0, 127.0, 0.0, 0.0]


def test_the_thoughts_that_were_made_of_one_are_known_until_they_are_gone(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"))
    put(store, a_thought("c", sources=("a", "b"), kind="refinement"), place="there")
    assert store.made_of(["a", "b", "c"]) == {"a": ["c"], "b": ["c"]}
    put(store, a_thought("c", sources=("b",), kind="refinement"), place="there")
    assert store.made_of(["a", "b"]) == {"b": ["c"]}
    store.forget("there")
    assert store.made_of(["b"]) == {}


def test_thoughts_are_idle_since_they_were_last_read_or_else_written(store: Store) -> None:
    put(store, a_thought("a"), a_thought("b"), a_thought("c"))
    with store.writing():
        store.travel([Event(NOW + 10, GOT, ("b",))], 1)
    assert store.idle(NOW - 1, NOW) == ["a", "c"]
    assert store.idle(NOW, NOW + 10) == ["b"]
    assert store.idle(NOW + 10, NOW + 99) == []


def test_tidying_changes_no_answer(store: Store) -> None:
    put(store, *(a_thought(f"t{nth}", f"fox number {nth}") for nth in range(30)))
    store.embed(MODEL, {f"t{nth}": direction(1, nth, 0, 0) for nth in range(30)})
    before = (found(store, "fox"), store.nearest(direction(1, 3, 0, 0), Scope(), 5))
    store.compact()
    assert (found(store, "fox"), store.nearest(direction(1, 3, 0, 0), Scope(), 5)) == before


def test_only_what_sleep_works_on_is_fresh(store: Store) -> None:
    put(store, a_thought("said", kind="note", category="said"), a_thought("rule", kind="note", category="rule"))
    put(store, a_thought("fact", kind="note", category="knowledge"), a_thought("made", kind="consolidation"), place="b")
    with store.writing():
        store.travel([Event(NOW + 5, GOT, ("said", "made"))], 1)
    assert [one for one, _ in store.fresh(NOW + 9, 10)] == ["fact"]
