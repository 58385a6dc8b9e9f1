"""Merging one file: each side's work survives, and a disagreement is said instead of guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from holdfast.vault import front_matter_edits, note_facets, notes
from holdfast.vault.merge import Merged, merge, merge_lines

PATH = "knowledge/locks.md"
BASE = """---
name: locks
description: How orders lock
kind: knowledge
created: 2026-01-02
edited: 2026-01-02
reviewed: 2026-01-02
sources: [a]
---

One.
Two.
Three.
"""


def fields(text: str | None) -> dict[str, object]:
    assert text is not None
    return front_matter_edits.parse(text).fields


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        (None, None, "new", Merged("new")),
        (None, "new", None, Merged("new")),
        ("old", "old", "new", Merged("new")),
        ("old", "new", "old", Merged("new")),
        ("old", "new", "new", Merged("new")),
        ("old", None, "old", Merged(None)),
        ("old", "old", None, Merged(None)),
        ("old", None, None, Merged(None)),
        ("old", None, "new", Merged("new", conflict=True)),
        ("old", "new", None, Merged("new", conflict=True)),
        ("old", "mine", "yours", Merged("mine", conflict=True)),
        (None, "mine", "yours", Merged("mine", conflict=True)),
    ],
)
def test_a_whole_file_is_taken_from_whoever_changed_it(
    base: str | None, ours: str | None, theirs: str | None, merged: Merged
) -> None:
    assert merge("outputs/x.txt", base, ours, theirs) == merged


def test_changes_at_different_lines_of_a_body_are_both_taken() -> None:
    merged = merge(PATH, BASE, BASE.replace("One.", "1."), BASE.replace("Three.", "3.\nFour."))
    assert merged == Merged(BASE.replace("One.", "1.").replace("Three.", "3.\nFour."))


def test_the_same_line_changed_differently_is_a_conflict_and_ours_stays() -> None:
    ours = BASE.replace("Two.", "2.")
    assert merge(PATH, BASE, ours, BASE.replace("Two.", "II.")) == Merged(ours, conflict=True)


def test_lines_next_to_each_other_are_not_guessed() -> None:
    ours = BASE.replace("One.", "1.")
    assert merge(PATH, BASE, ours, BASE.replace("Two.", "2.")).conflict


def test_sources_of_both_sides_are_kept_in_order_and_once() -> None:
    ours, theirs = BASE.replace("[a]", "[a, b, c]"), BASE.replace("[a]", "[a, c, d]")
    merged = merge(PATH, BASE, ours, theirs)
    assert not merged.conflict
    assert fields(merged.text)["sources"] == ["a", "b", "c", "d"]


def test_a_source_that_one_side_removed_stays_removed_while_the_other_adds() -> None:
    base = BASE.replace("[a]", "[a, b]")
    merged = merge(PATH, base, base.replace("[a, b]", "[a, b, c]"), base.replace("[a, b]", "[a]"))
    assert fields(merged.text)["sources"] == ["a", "c"]


def test_anchors_that_are_tables_are_united_too() -> None:
    ours = BASE.replace("sources:", "anchors: [{path: a.py}]\nsources:")
    theirs = BASE.replace("sources:", "anchors: [{path: b.py}, {path: a.py}]\nsources:")
    assert fields(merge(PATH, BASE, ours, theirs).text)["anchors"] == [{"path": "a.py"}, {"path": "b.py"}]


def test_the_later_edit_and_review_and_the_earlier_creation_count() -> None:
    ours = BASE.replace("2026-01-02", "2026-03-01")
    theirs = BASE.replace("2026-01-02", "2026-02-01")
    found = fields(merge(PATH, BASE, ours, theirs).text)
    assert (found["created"], found["edited"], found["reviewed"]) == ("2026-02-01", "2026-03-01", "2026-03-01")


def test_two_different_descriptions_are_a_conflict() -> None:
    ours, theirs = BASE.replace("How orders", "How carts"), BASE.replace("How orders", "How shops")
    assert merge(PATH, BASE, ours, theirs) == Merged(ours, conflict=True)


def test_our_comments_spacing_and_unknown_keys_survive_byte_for_byte() -> None:
    ours = BASE.replace("kind:", "# mine\nmood:   'odd'  # really\nkind:").replace("[a]", "[a, b]  # why")
    merged = merge(PATH, BASE, ours, BASE.replace("[a]", "[a, c]"))
    assert merged.text == ours.replace("[a, b]  # why", "[a, b, c]  # why")


def test_their_comment_survives_where_the_lines_allow_it() -> None:
    ours = BASE.replace("[a]", "[a, b]")
    theirs = BASE.replace("name: locks", "# theirs\nname: locks")
    assert merge(PATH, BASE, ours, theirs).text == theirs.replace("[a]", "[a, b]")


def test_a_key_that_one_side_removed_is_gone_though_the_other_changed_its_neighbour() -> None:
    base = BASE.replace("sources:", "when:\n  tool: Bash\n  words:\n    - push\nsources:")
    theirs = BASE
    ours = base.replace("[a]", "[a, b]")
    merged = merge(PATH, base, ours, theirs)
    assert merged == Merged(BASE.replace("[a]", "[a, b]"))


def test_a_key_that_one_side_changed_and_the_other_removed_is_a_conflict() -> None:
    base = BASE.replace("sources:", "policy: ask\nsources:")
    assert merge(PATH, base, base.replace("ask", "never"), BASE).conflict


def test_a_note_that_does_not_parse_is_merged_by_lines() -> None:
    base = "no front matter\nkept\n: [\n"
    merged = merge(PATH, base, base.replace("no ", "not "), base + "more\n")
    assert merged == Merged("not front matter\nkept\n: [\nmore\n")


def test_a_body_that_appears_behind_a_bare_front_matter_stays_apart_from_it() -> None:
    base = "---\nname: x\n---"
    merged = merge(PATH, base, base.replace("name: x", "name: x\nkind: rule"), base + "\nwords\n")
    assert not merged.conflict
    assert front_matter_edits.parse(merged.text or "").body == "words\n"


def test_two_notes_of_one_name_made_apart_are_a_conflict() -> None:
    assert merge(PATH, None, BASE, BASE.replace("Two.", "2.")).conflict


def test_a_log_keeps_the_lines_of_both_in_the_order_of_their_times() -> None:
    base = "[2026-01-01 10:00:00] [shop] a\n"
    ours = base + "[2026-01-03 10:00:00] [shop] c\n  and more\n"
    theirs = base + "[2026-01-02 10:00:00] [shop] b\n[2026-01-04 10:00:00] [shop] d"
    assert merge("activity.log", base, ours, theirs) == Merged(
        base + "[2026-01-02 10:00:00] [shop] b\n[2026-01-03 10:00:00] [shop] c\n  and more\n"
        "[2026-01-04 10:00:00] [shop] d\n"
    )


def test_a_log_begun_on_two_machines_is_united_without_duplicates() -> None:
    assert merge("activity.log", None, "2026-01-01 a\n", "2026-01-01 a\n2026-01-02 b\n").text == (
        "2026-01-01 a\n2026-01-02 b\n"
    )


def test_a_line_that_one_side_took_back_is_gone_and_later_ones_stay() -> None:
    made = "2026-01-01 a\n2026-01-02 b\n"
    assert merge("activity.log", made, made + "2026-01-03 c\n", "2026-01-01 a\n").text == "2026-01-01 a\n2026-01-03 c\n"


def test_projects_of_both_machines_stay_registered_once() -> None:
    one = '\n[[project]]\nid = "shop-1"\nslug = "shop"\nkeys = ["url:a"]\n'
    two = '\n[[alias]]\nproject = "shop-1"\nkey = "url:b"\n'
    three = '\n[[project]]\nid = "cart-2"\nslug = "cart"\nkeys = ["url:c"]\n'
    assert merge("projects.toml", one, one + two, one + three + two).text == one + two + three


NOTE = notes.Note("knowledge/x.md", "x", "an x", "knowledge", "")


def test_the_operators_words_in_the_brain_are_merged_and_the_map_is_not() -> None:
    base = note_facets.refreshed("Above.\n\nBetween.\n", ())
    ours = note_facets.refreshed("Ours.\n\nBetween.\n", [NOTE])
    merged = merge("BRAIN.md", base, ours, base + "Below.\n")
    assert merged == Merged(note_facets.refreshed("Ours.\n\nBetween.\n", ()) + "Below.\n")


def test_two_maps_never_disagree() -> None:
    base = note_facets.refreshed(None, ())
    other = notes.Note("knowledge/y.md", "y", "a y", "knowledge", "")
    merged = merge("BRAIN.md", None, note_facets.refreshed(None, [NOTE]), note_facets.refreshed(None, [other]))
    assert merged == Merged(base)


def test_the_operators_words_changed_on_both_sides_are_a_conflict() -> None:
    base, ours, theirs = (note_facets.refreshed(words, ()) for words in ("A.\n", "B.\n", "C.\n"))
    assert merge("BRAIN.md", base, ours, theirs) == Merged(ours, conflict=True)


def test_only_a_line_feed_ends_a_line() -> None:
    base = "a\u2028b\x0cc\nd\n"
    assert merge("x.txt", base, base + "e\n", base.replace("b", "B")).text == "a\u2028B\x0cc\nd\ne\n"


def test_a_stretch_too_long_to_compare_is_still_merged_right() -> None:
    base = "".join(f"{nth}\n" for nth in range(3000))
    ours = "first\n" + base
    theirs = base.replace("0\n", "zero\n") + "last\n"
    merged = merge("x.txt", base, base + "end\n", base.replace("1500\n", "middle\n"))
    assert merged == Merged(base.replace("1500\n", "middle\n") + "end\n")
    assert merge("x.txt", base, ours, theirs).conflict


LINES = some.lists(some.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=8).map("".join)


@given(base=LINES, ours=LINES, theirs=LINES)
def test_a_merge_is_the_same_from_either_side_and_final(base: str, ours: str, theirs: str) -> None:
    merged = merge("x.txt", base, ours, theirs)
    other = merge("x.txt", base, theirs, ours)
    assert merged.conflict == other.conflict
    if merged.conflict:
        assert (merged.text, other.text) == (ours, theirs)
        return
    assert merged == other
    assert merged.text is not None
    assert merge_lines(ours, ours, merged.text) == merged.text


def test_the_lists_of_purged_commits_are_united_in_one_order() -> None:
    one, other, third = ("a" * 40 + "\n", "b" * 40 + "\n", "c" * 40 + "\n")
    assert merge("purged", one, one + third, one + other) == Merged(one + other + third)
    assert merge("purged", None, third, one) == Merged(one + third)


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        ("# B\nTea.\n", "# B\nCoffee.\n", "# B\nTea.\nCoffee.\n"),
        ("# B\nTea.\nMilk.\n", "# B\nCoffee.\nMilk.\n", "# B\nTea.\nCoffee.\nMilk.\n"),
        ("Tea.\n", note_facets.OPENING, "Tea.\n"),
        (note_facets.OPENING, "Tea.\n", "Tea.\n"),
    ],
)
def test_the_words_of_two_brains_that_began_apart_are_both_kept(ours: str, theirs: str, both: str) -> None:
    above = [note_facets.refreshed(text, ()) for text in (ours, theirs, both)]
    assert merge("BRAIN.md", None, above[0], above[1]) == Merged(above[2])
    below = [note_facets.refreshed(note_facets.OPENING, ()) + text for text in ("Tea.", "Coffee.", "Tea.\nCoffee.\n")]
    assert merge("BRAIN.md", None, below[0], below[1]) == Merged(below[2])
