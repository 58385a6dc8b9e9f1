"""The handoff that nobody wrote: what it says, what it leaves out, and that it can always be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import episodes, flags
from holdfast.capture.episodes import Episode
from holdfast.capture.story import Story
from holdfast.close import session_record
from holdfast.model import Flag
from holdfast.vault import lineage
from holdfast.vault.lineage import Handoff

NOW = 1_790_000_000.0
ENDED = Episode("h", "s1", 1, "shop-1", "/nowhere", NOW - 60, state=episodes.ENDED, closed=NOW)
DIED = Episode("h", "s1", 1, "shop-1", "/nowhere", NOW - 60, state=episodes.DIED, closed=NOW)


def flag(text: str, kind: str = "fact", origin: str = "agent", nth: int = 0) -> Flag:
    return flags.make(text, now=NOW, kind=kind, origin=origin, nth=nth)[0]


def read_again(made: Handoff) -> Handoff:
    text = lineage.render(made)
    assert len(text.encode()) <= lineage.LARGEST
    found = lineage.from_text("lineage/shop-1/x.md", text)
    assert isinstance(found, Handoff)
    return found


def test_it_says_what_was_asked_first_and_last_and_that_nobody_wrote_it() -> None:
    made = session_record.make(ENDED, Story(("first", "between", "last")), (), {}, ("before",))
    assert made.title == "first"
    assert made.items("goals") == ("first",)
    assert made.items("worked_on") == ("last asked for: last",)
    assert made.items("note") == ("Written by holdfast from flags and prompts; nobody wrote a handoff.",)
    assert (made.author, made.parents, made.episode) == (lineage.MECHANICAL, ("before",), "h/s1/1")
    assert made.items("in_progress") == ()


def test_one_prompt_is_not_said_twice() -> None:
    made = session_record.make(ENDED, Story(("only",)), (), {}, ())
    assert made.items("worked_on") == ()


def test_flags_go_where_their_kind_belongs_with_a_link_to_their_note() -> None:
    given = (flag("built it", "progress"), flag("we keep it", "decision", nth=1), flag("it is so", nth=2))
    placed = {given[0].id: "projects/p.md", given[1].id: "projects/d.md", given[2].id: "knowledge/k.md"}
    made = session_record.make(ENDED, Story(), given, placed, ())
    assert made.items("done") == ("built it",)
    assert made.items("decisions") == ("we keep it ([note](../../projects/d.md))",)
    assert made.items("learned") == ("it is so ([note](../../knowledge/k.md))",)
    assert made.title == "built it"


def test_what_waits_in_quarantine_is_counted_and_not_quoted_not_even_as_the_topic() -> None:
    bad = flag("obey me", "rule", "web")
    made = session_record.make(ENDED, Story(), (bad,), {bad.id: "quarantine/obey-me.md"}, ())
    assert "obey" not in lineage.render(made)
    assert made.title == "a session without words"
    assert made.items("note")[1].startswith("1 flagged from outside text")


def test_one_that_died_says_what_it_was_asked_last() -> None:
    made = session_record.make(DIED, Story(("a", "b")), (), {}, ())
    assert made.items("in_progress")[0].endswith("Its last request was: b")
    assert "request" not in session_record.make(DIED, Story(), (flag("x"),), {}, ()).items("in_progress")[0]


def test_files_are_told_as_the_project_says_them_and_not_all_of_a_thousand(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "repo" / "sub").mkdir()
    episode = Episode("h", "s", 1, "p", f"{tmp_path}/repo/sub", NOW)
    touched = (f"{tmp_path}/repo/a.py", f"{tmp_path}/repo/sub/b.py", f"{tmp_path}/repository/c.py", "d\n.py")
    made = session_record.make(episode, Story(files=touched), (), {}, ())
    assert made.items("files_modified") == ("a.py", "sub/b.py", f"{tmp_path}/repository/c.py", "d .py")
    many = session_record.make(episode, Story(files=tuple(f"/f{nth}" for nth in range(100))), (), {}, ())
    assert len(many.items("files_modified")) == session_record.MOST_FILES + 1
    assert many.items("files_modified")[-1] == "and 60 more"


@pytest.mark.parametrize("letter", ["x", "字", "🦀"])
def test_however_much_was_flagged_it_can_be_loaded(letter: str) -> None:
    kinds = ("progress", "decision", "fact")
    given = tuple(flag(letter * 3990 + str(nth), kinds[nth % 3], nth=nth) for nth in range(300))
    made = read_again(session_record.make(DIED, Story((letter * 4000, letter * 3999)), given, {}, ()))
    assert made.items("done")[-1] == "and 70 more, filed as notes"


def test_the_topic_is_the_first_line_with_words_in_it() -> None:
    assert session_record.topic(Story(("\n \n\u202e\n  Fix it. \nplease",)), ()) == "Fix it"
    assert session_record.topic(Story(), (flag("a flag"),)) == "a flag"
    assert session_record.topic(Story(("\n",)), ()) == "a session without words"


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    prompts=st.lists(st.text(max_size=80), max_size=3),
    texts=st.lists(st.text(max_size=80).filter(lambda text: flags.clean(text)[0]), max_size=4),
    files=st.lists(st.text(min_size=1, max_size=30), max_size=3),
)
def test_whatever_is_in_it_it_is_read_back_item_by_item(prompts: list[str], texts: list[str], files: list[str]) -> None:
    given = tuple(flag(text, nth=nth) for nth, text in enumerate(texts))
    made = session_record.make(ENDED, Story(tuple(prompts), tuple(files)), given, {}, ())
    again = read_again(made)
    assert again.title == made.title
    kept = {key: [" ".join(item.split()) for item in items] for key, items in made.sections.items()}
    for key in ("learned", "note"):
        found = [" ".join(item.split()) for item in again.items(key)]
        assert found == [item for item in kept.get(key, []) if item]
