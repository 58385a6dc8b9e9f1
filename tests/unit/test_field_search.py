"""Search: which words a query is looked up by, which times it speaks of, the order of what is found, part by part."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.field import ranking, words
from holdfast.field.ranking import ALL, Facts, Parts, Question, Ranked
from holdfast.model import replace

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC).timestamp()  # a Friday
NOTHING = Parts(turns=False, neighbours=False, threads=False, names=False, dates=False)


@dataclass(frozen=True)
class Hit:
    id: str
    score: float


@dataclass
class Room:
    """A corpus in memory: words by a real FTS5, nearness as it is told."""

    docs: dict[str, str]
    near: dict[str, float] = field(default_factory=dict)
    known: dict[str, Facts] = field(default_factory=dict)
    order: tuple[str, ...] = ()  # of one thread
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')")
        self.db.executemany("INSERT INTO words VALUES (?, ?)", self.docs.items())

    def lexical(self, terms: Sequence[str], _scope: Any, most: int) -> list[Hit]:
        self.asked.append(tuple(terms))
        said = " OR ".join(f'"{term}"' for term in terms)
        rows = self.db.execute(
            "SELECT id, -bm25(words) FROM words WHERE words MATCH ? ORDER BY 2 DESC, 1 LIMIT ?", (said, most)
        )
        return [Hit(*row) for row in rows]

    def nearest(self, _vector: Any, _scope: Any, most: int) -> list[Hit]:
        found = [Hit(ident, score) for ident, score in self.near.items()]
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[:most]

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        return {ident: self.docs[ident] for ident in ids if ident in self.docs}

    def facts(self, ids: Iterable[str]) -> dict[str, Facts]:
        return {one: self.known.get(one, Facts(len(self.docs[one].split()))) for one in ids if one in self.docs}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        found = {}
        for ident in set(ids) & set(self.order):
            at = self.order.index(ident)
            others = enumerate(self.order)
            found[ident] = [(other, abs(place - at)) for place, other in others if 0 < abs(place - at) <= reach]
        return found


def ranked(room: Room, query: str, parts: Parts = ALL, vector: Any = None, most: int = 10) -> list[Ranked]:
    return ranking.rank(Question(query, vector, NOW), room, None, most, parts)


def ids(found: Iterable[Ranked]) -> list[str]:
    return [one.id for one in found]


# What a query is looked up by


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("why did the lease expire", ("lease", "expire")),
        ("what is it", ("what", "is", "it")),
        ("where is lease_expires read", ("lease", "expires", "read", "lease expires")),
        ("leaseExpires", ("leaseexpires", "lease", "expires")),
        ("HTTPServer2", ("httpserver2", "http", "server")),
        ("see src/queue.py:40", ("see", "src", "queue", "py", "40", "src queue py 40")),
        ("error E-1042", ("error", "e", "1042", "e 1042")),
        ("lock LOCK Lock", ("lock",)),
        ('"quoted" AND (NEAR)', ("quoted", "near")),
        ("", ()),
        ("?!", ()),
    ],
)
def test_a_query_is_looked_up_by_its_words_and_names_whole_and_in_parts(query: str, wanted: tuple[str, ...]) -> None:
    assert words.terms(query) == wanted


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_query_breaks_the_index(query: str) -> None:
    asked = words.terms(query)
    assert len(asked) == len(set(asked)) <= words.MOST
    if asked:
        Room({"a": "some text"}).lexical(asked, None, 5)


def test_a_pasted_page_is_looked_up_by_its_first_words() -> None:
    assert words.terms(" ".join(f"word{at}" for at in range(500)))[:1] == ("word0",)
    assert len(words.terms(" ".join(f"word{at}" for at in range(500)))) == words.MOST


# Times


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("what happened on 2026-03-12", "2026-03-12", "2026-03-13"),
        ("what happened on 2025/12/31?", "2025-12-31", "2026-01-01"),
        ("decided on 8 May, 2023", "2023-05-08", "2023-05-09"),
        ("decided on May 8th, 2023", "2023-05-08", "2023-05-09"),
        ("decided on the 1st of February 2026", "2026-02-01", "2026-02-02"),
        ("the plan of December 2025", "2025-12-01", "2026-01-01"),
        ("all that was done in 2024", "2024-01-01", "2025-01-01"),
        ("what did I do yesterday", "2026-03-19", "2026-03-20"),
        ("what did I say today", "2026-03-20", "2026-03-21"),
        ("what was changed last weekend", "2026-03-14", "2026-03-16"),
        ("three days ago", "2026-03-16", "2026-03-19"),
        ("two weeks ago", "2026-03-03", "2026-03-10"),
        ("in the last month", "2026-02-18", "2026-03-21"),
        ("in the past 2 weeks", "2026-03-06", "2026-03-21"),
    ],
)
def test_a_question_speaks_of_a_time(query: str, since: str, until: str) -> None:
    assert words.spans(query, NOW) == (words.Span(day(since), day(until)),)


def test_a_month_without_a_year_is_one_of_the_last_two() -> None:
    assert [span.since.year for span in words.spans("what was decided in March", NOW)] == [2026, 2025]
    assert [span.since.year for span in words.spans("what was decided in April", NOW)] == [2025, 2024]


@pytest.mark.parametrize(
    "query",
    [
        "you may do that",
        "port 2024",
        "version 2026.3",
        "the last one",
        "a 30 February 2026",
        "E-2024-99",
    ],
)
def test_what_is_no_time_is_not_taken_for_one(query: str) -> None:
    assert words.spans(query, NOW) == ()


def test_without_a_clock_only_whole_dates_are_read() -> None:
    assert words.spans("yesterday, in May, two weeks ago", 0.0) == ()
    assert len(words.spans("on 8 May 2023", 0.0)) == 1


@given(st.text(max_size=200), st.floats(0, 4e9))
@settings(max_examples=200, deadline=None)
def test_every_span_begins_before_it_ends(query: str, now: float) -> None:
    assert all(span.since < span.until for span in words.spans(query, now))


@given(st.integers(0, 10**30), st.sampled_from(["days", "weeks", "months", "years"]))
@settings(max_examples=50, deadline=None)
def test_a_time_before_all_calendars_is_no_time(count: int, unit: str) -> None:
    assert len(words.spans(f"{count} {unit} ago", NOW)) <= 1


def test_a_text_of_the_time_is_close_and_one_told_afterwards_half_as_close() -> None:
    asked = words.spans("in February 2026", NOW)
    assert words.closeness(day("2026-02-28").timestamp(), asked) == 1.0
    assert words.closeness(day("2026-03-10").timestamp(), asked) == 0.5
    assert words.closeness(day("2026-03-20").timestamp(), asked) == 0.0
    assert words.closeness(day("2026-01-31").timestamp(), asked) == 0.0
    assert words.closeness(0.0, asked) == 0.0


# Names


def test_the_one_who_is_named_is_meant_and_of_two_nobody() -> None:
    assert ranking.meant("What did the Reviewer say?", {"reviewer", "builder", ""}) == "reviewer"
    assert ranking.meant("the reviewer's word", {"reviewer"}) == "reviewer"
    assert ranking.meant("what did builder tell reviewer", {"reviewer", "builder"}) == ""
    assert ranking.meant("rebuilders", {"builder"}) == ""
    assert ranking.meant("a (b", {"(b", "a"}) == "(b"


# Fusion


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.floats(-5, 50), max_size=30))
@settings(max_examples=150, deadline=None)
def test_a_score_is_a_part_of_the_best_and_the_order_stays(scores: dict[str, float]) -> None:
    parts, beyond = ranking.parts(scores)
    assert parts.keys() == scores.keys()
    assert all(0 <= one <= 1 for one in parts.values())
    assert beyond == 0.0
    by_part = sorted(parts, key=lambda one: (parts[one], one))
    assert [parts[one] for one in by_part] == sorted(max(0.0, parts[one]) for one in parts)
    assert all(parts[one] <= parts[other] for one in scores for other in scores if scores[one] <= scores[other])


def test_what_was_not_looked_at_may_be_as_near_as_the_last_that_was() -> None:
    parts, beyond = ranking.parts({str(at): 1 - at / 1000 for at in range(ranking.POOL)})
    assert beyond == min(parts.values()) > 0.4


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.floats(-1, 1), max_size=30))
@settings(max_examples=150, deadline=None)
def test_words_and_meaning_each_keep_a_share(nearness: dict[str, float]) -> None:
    share = ranking.share_of_words(nearness)
    assert share == 1.0 if not nearness else ranking.WORDS - ranking.STANDING_OUT - 1e-9 <= share <= ranking.WORDS


def test_where_one_text_is_far_nearer_than_the_rest_meaning_counts_for_more() -> None:
    alike = {str(at): 0.5 - at / 1000 for at in range(20)}
    assert ranking.share_of_words(alike | {"0": 0.9}) < ranking.share_of_words(alike) - 0.1


def test_a_leg_alone_keeps_its_order_and_its_last_is_worth_something() -> None:
    docs = {"a": "lock lease", "b": "lock", **{f"x{at}": "other things" for at in range(9)}}
    found = ranked(Room(docs), "lock lease", NOTHING)
    assert ids(found) == ["a", "b"]
    assert found[1].score > 0
    near = ranked(Room(docs, {"a": 0.4, "b": 0.3}), "other words", NOTHING, vector=1, most=20)
    assert [one.id for one in near if one.semantic] == ["a", "b"]


# The order


def test_a_rarer_word_finds_before_a_common_one() -> None:
    docs = {f"n{at}": "the queue holds a flag" for at in range(9)} | {"lease": "the queue holds a lease"}
    assert ids(ranked(Room(docs), "queue lease"))[0] == "lease"


def test_equal_texts_are_ordered_by_id_whatever_their_place() -> None:
    docs = dict.fromkeys(("c", "a", "b"), "the same words") | {f"x{at}": "other things" for at in range(9)}
    assert ids(ranked(Room(docs), "same words"))[:3] == ["a", "b", "c"]
    assert ids(ranked(Room(dict(reversed(docs.items()))), "same words"))[:3] == ["a", "b", "c"]


@given(st.permutations(range(12)), st.text("abc ", max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_same_corpus_gives_the_same_answer_in_any_order(order: list[int], query: str) -> None:
    docs = {f"d{at}": f"{'a ' * at}b c word{at % 3}" for at in range(12)}
    near = {f"d{at}": (at * 7 % 12) / 12 for at in range(12)}
    one = Room(docs, near)
    other = Room({f"d{at}": docs[f"d{at}"] for at in order}, {f"d{at}": near[f"d{at}"] for at in order})
    assert ids(ranked(one, query, vector=1)) == ids(ranked(other, query, vector=1))


def test_without_a_vector_words_alone_are_asked() -> None:
    room = Room({"a": "a lock", "b": "a lease"}, {"b": 0.9})
    assert ids(ranked(room, "lock")) == ["a"]
    assert ids(ranked(room, "lock", replace(ALL, semantic=False), vector=1)) == ["a"]


def test_without_words_in_common_meaning_finds() -> None:
    room = Room({"a": "a lock", "b": "a lease"}, {"b": 0.9, "a": 0.1})
    found = ranked(room, "tenancy", vector=1)
    assert found[0].id == "b"
    assert found[0].semantic > 0 == found[0].lexical


def test_nothing_asked_finds_nothing() -> None:
    assert ranked(Room({"a": "a lock"}), "?!") == []
    assert ranked(Room({}), "lock", vector=1) == []


def test_a_result_says_what_each_leg_gave() -> None:
    docs = {f"n{at}": "other things" for at in range(9)} | {"a": "a lock", "b": "a lease"}
    found = {one.id: one for one in ranked(Room(docs, {"b": 0.9, "a": 0.8, "n1": 0.1}), "lock", NOTHING, vector=1)}
    assert found["a"].lexical > 0 < found["a"].semantic
    assert found["b"].lexical == 0 < found["b"].semantic
    assert found["a"].score == pytest.approx(found["a"].lexical + found["a"].semantic)


THREAD = {
    "t1": "what about attachments in the import",
    "t2": "they stay and a link is kept",
    "t3": "fine",
    **{f"n{at}": f"something else {at} altogether" for at in range(20)},
}


def test_an_answer_is_found_by_the_question_before_it() -> None:
    room = Room(THREAD, order=("t1", "t2", "t3"))
    found = ranked(room, "attachments import", replace(NOTHING, neighbours=True))
    assert ids(found)[:3] == ["t1", "t2", "t3"]
    assert found[1].around > found[2].around > 0
    assert ids(ranked(room, "attachments import", NOTHING)) == ["t1"]


def test_of_two_alike_the_one_in_the_better_thread_is_first() -> None:
    docs = {"a": "the lock is new", "b": "the lock is new", "c": "the lease and the lock", **THREAD}
    known = {"b": Facts(4, thread="s"), "c": Facts(5, thread="s"), "a": Facts(4, thread="r")}
    room = Room(docs, known=known)
    assert ids(ranked(room, "lease lock", replace(NOTHING, threads=True))) == ["c", "b", "a"]
    assert ids(ranked(room, "lease lock", NOTHING)) == ["c", "a", "b"]


def test_a_text_that_stands_alone_is_its_own_thread() -> None:
    given_ = ranking.of_threads({"a": 2.0, "b": 1.0, "c": 1.0}, {"a": "s", "b": "s", "c": ""})
    assert given_ == pytest.approx({name: ranking.OF_THREAD * best for name, best in (("a", 2), ("b", 2), ("c", 1))})


def test_the_words_of_the_one_who_is_named_come_first() -> None:
    docs = {"a": "the lock is new", "b": "the lock is new", **THREAD}
    known = {"a": Facts(4, "builder"), "b": Facts(4, "reviewer")}
    room = Room(docs, known=known)
    found = ranked(room, "what did the reviewer say of the lock", replace(NOTHING, names=True))
    assert [(one.id, one.is_named) for one in found] == [("b", True), ("a", False)]
    assert ids(ranked(room, "what did the reviewer say of the lock", NOTHING)) == ["a", "b"]


def test_a_text_of_the_time_that_is_asked_for_comes_first() -> None:
    docs = {"a": "the lock is new", "b": "the lock is new", **THREAD}
    known = {"a": Facts(4, created=day("2026-01-05").timestamp()), "b": Facts(4, created=day("2026-03-12").timestamp())}
    room = Room(docs, known=known)
    found = ranked(room, "the lock in the last two weeks", replace(NOTHING, dates=True))
    assert [(one.id, one.is_dated) for one in found] == [("b", True), ("a", False)]
    assert ids(ranked(room, "the lock in the last two weeks", NOTHING)) == ["a", "b"]


def test_a_turn_of_few_words_says_less_by_itself_and_a_note_of_few_says_what_it_says() -> None:
    docs = {"thanks": "thanks for the lock", "told": "the lock is held by the writer until its lease is out", **THREAD}
    near = {"thanks": 0.62, "told": 0.6}
    turns = {one: Facts(len(docs[one].split()), is_turn=True) for one in near}
    assert ids(ranked(Room(docs, near), "lock", NOTHING, vector=1))[:2] == ["thanks", "told"]
    only = replace(NOTHING, turns=True)
    assert ids(ranked(Room(docs, near), "lock", only, vector=1))[:2] == ["thanks", "told"]
    talk = Room(docs, near, turns, order=("t1", "thanks", "told"))
    assert ids(ranked(talk, "lock", only, vector=1))[:2] == ["told", "thanks"]


def test_a_turn_that_nothing_stands_around_says_what_it_says() -> None:
    docs = {"label": "Codename Marmot: the lock", **THREAD}
    known = {"label": Facts(4, speaker="Codename Marmot", thread="shop@", is_turn=True)}
    (alone,) = ranked(Room(docs, known=known), "lock")
    (plain,) = ranked(Room(docs), "lock")
    assert alone == plain
    assert alone.around == 0.0


def test_most_is_most() -> None:
    docs = {f"n{at:03}": "the lock" for at in range(50)} | {f"x{at}": "other" for at in range(60)}
    assert len(ranked(Room(docs), "lock", most=7)) == 7


def test_ids_that_a_leg_knows_and_the_corpus_does_not_do_no_harm() -> None:
    room = Room({"a": "a lock", "b": "some text"}, {"gone": 0.9, "a": 0.5}, order=("a", "b"))
    assert set(ids(ranked(room, "lock", vector=1))) == {"gone", "a", "b"}
