"""What the page's notes and reviews are made of: words from a form, pages by key, changes as lines."""

from __future__ import annotations

import json

import pytest

from holdfast.page import diff, note_rows, review_deeds, typed
from holdfast.vault import notes


def test_a_form_that_was_not_touched_gives_the_file_back_byte_for_byte() -> None:
    from holdfast.page.frame import plain

    for text in ("a\nb\n", "a\r\nb\r\n", "a\u202eb\u200bc\n", "a\r\n\u202eb\r\n", "lone \u27e8U+202E\u27e9\n"):
        assert typed.as_file(plain(text), text) == text
    assert typed.as_file("a\r\nb", "a\n") == "a\nb", "a browser's line ends are not the person's"


def test_a_change_shows_signs_and_places_and_says_what_is_left_out() -> None:
    found = diff.of("one\ntwo\n", "one\nthree\n")
    assert [(one.kind, one.text) for one in found.lines][1:] == [
        (diff.SAME, " one"),
        (diff.REMOVED, "-two"),
        (diff.ADDED, "+three"),
    ]
    assert diff.of(None, "x\n" * 500).left == 500 + 1 - diff.MOST_LINES
    assert "1,000,001 characters" in diff.of(None, "x" * 1_000_000).lines[1].text
    assert diff.of("same", "same") == diff.NONE


def a_note(nth: int, day: str) -> notes.Note:
    return notes.from_fields(f"knowledge/{nth}.md", {"name": f"Note {nth}", "edited": day, "created": day}, "")


@pytest.mark.parametrize("sort", [note_rows.NEWEST, note_rows.NAME, note_rows.WEIGHT])
def test_a_key_of_each_order_is_one_place_in_it(sort: str) -> None:
    listed = [a_note(nth, f"2026-01-{1 + nth % 28:02}") for nth in range(60)]
    keyed = sorted(note_rows._key(note, sort, {}, 1_790_000_000.0) for note in listed)
    assert len({json.dumps(one) for one in keyed}) == 60
    again = note_rows._after(json.dumps(keyed[30]), sort)
    assert again == keyed[30]
    assert len([one for one in keyed if again is not None and one > again]) == 29


def test_the_newest_come_first_and_an_odd_key_is_the_beginning() -> None:
    old, new = a_note(1, "2025-12-31"), a_note(2, "2026-01-01")
    keys = [note_rows._key(note, note_rows.NEWEST, {}, 0.0) for note in (old, new)]
    assert keys[1] > keys[0]
    for odd in ("", "x", "[]", '{"a": 1}', "[1, 2]", '[null, "x"]', '[1, "x"]'):
        assert note_rows._after(odd, note_rows.NAME) is None


def test_other_words_leave_the_proof_and_every_other_byte() -> None:
    base = (
        "---\nname: Tabs\ndescription: Use tabs\nkind: feedback\nstatus: unconfirmed\n# mine\norigin: user\n---\n"
        '\nFrom now on use tabs.\n\nEvidence:\n- the user: "use tabs"\n'
    )
    done = review_deeds.reworded("feedback/tabs.md", base, "Use tabs in Makefiles.", "Tabs in Makefiles")
    assert done == base.replace("From now on use tabs.", "Use tabs in Makefiles.").replace(
        "description: Use tabs", "description: Tabs in Makefiles"
    )
