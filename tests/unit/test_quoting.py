"""Quoting: the hook's small reader of front matter agrees with the real one, and no file makes it fail or grow."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.capture import quoting
from holdfast.capture.quoting import BESIDE, BODY, HANDOFF, LINE, OWN, Quoted
from holdfast.vault import front_matter_edits, note_facets, notes
from holdfast.vault.front_matter_edits import Unparsable

LETTERS = st.text(st.sampled_from("abcAZ09 _-./:#'\"\\&*!|>%@`{}[],?~=\t日é😀\u2028\u00a0"), max_size=40)
# No tags, no odd line breaks, quotes only as spelled below.
SIMPLE = LETTERS.map(lambda text: "".join(one for one in text if one not in "?!\u2028\"'"))
RULE = "---\nname: No force\ndescription: never force-push\nkind: rule\nproject: shop\n---\n\nNever force-push.\n"


def same(raw: object) -> str:
    """A value as a note has it: lists and tables are no text, blanks are one blank."""
    return "" if raw is None or isinstance(raw, (list, dict)) else " ".join(str(raw).split())


def agree(text: str) -> None:
    read = quoting.fields_of(text)
    for name, known in front_matter_edits.parse(text).fields.items():
        if not isinstance(known, (bool, int)):
            assert read.get(name, "") == same(known), f"{name} in {text!r}"


@settings(deadline=None, max_examples=300)
@given(name=LETTERS, description=st.text(max_size=60), project=LETTERS, words=st.lists(LETTERS, max_size=3))
@example(name='a "b" \\ c', description="it's # not a comment", project="", words=["x"])
def test_what_we_write_is_read_back_as_the_real_parser_does(
    name: str, description: str, project: str, words: list[str]
) -> None:
    fields = {"name": name, "description": description, "kind": "rule", "project": project, "sources": words}
    agree(front_matter_edits.render(fields, "body\n"))


SPELLINGS = (
    "{}",
    "{} # a comment",
    "{}\t# a comment",
    '"{}"',
    "'{}'",
    '"{}" # said "so"',
    "'{}'   # it's so",
    "\n  {}",
    "\n  {}\n  and more",
    "{}\n  and more # why",
    "|\n  {}\n  and more",
    ">-\n  {}\n\n  and more",
    "# first\n  {}",
    "[{}]",
    "\n- {}\n- more",
    "\n  - {}",
    "{{a: {}}}",
    "\n  tool: {}",
    "",
    "null",
    "~",
)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["name", "description", "status", "x-y", "k_z", '"name2"']),
            st.sampled_from(SPELLINGS),
            SIMPLE,
        ),
        max_size=5,
        unique_by=lambda one: one[0],
    ),
    st.sampled_from(["", "# a comment\n", "\n", "  \n"]),
    st.sampled_from([": ", ":  ", " : ", ":\t"]),
)
def test_what_people_write_is_read_as_the_real_parser_does(
    pairs: list[tuple[str, str, str]], between: str, colon: str
) -> None:
    lines = [f"{key}{colon}{how.format(value.strip())}\n" for key, how, value in pairs]
    text = f"---\n{between.join(lines)}---\nbody\n"
    try:
        front_matter_edits.parse(text)
    except Unparsable:
        quoting.fields_of(text)  # it may say anything of what is none, but never fails
        return
    agree(text)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from([OWN, BODY, LINE, f"{HANDOFF}:3", f"{BESIDE}:3", "", "odd"]), st.text(max_size=300))
@example(BODY, "---")
@example(BODY, "---\n---")
@example(f"{HANDOFF}:1", "---\ntitle: x\n---\n#\n##\n# \ntext")
@example(BODY, '---\nname: "\\U99999999 \\x"\n---\nx')
def test_no_text_makes_quoting_fail(how: str, text: str) -> None:
    quoting.quote(how, "rules/x.md", text, "shop")
    quoting.quote(how, "rules/x.md", f"---\nname: x\n{text}\n---\n{text}", "shop")


@pytest.mark.slow
@pytest.mark.parametrize("how", [OWN, BODY, LINE, f"{HANDOFF}:3", f"{BESIDE}:3"])
@pytest.mark.parametrize(
    "body", ["x" * 900_000, "- x\n" * 200_000, "\n\n## h\n\ny" * 50_000], ids=["long", "list", "headings"]
)
def test_a_file_of_any_size_makes_a_small_quotation(how: str, body: str) -> None:
    text = (
        body if how == OWN else f"---\ntitle: {'t' * 9000}\nname: {'n' * 9000}\ndescription: {'d' * 9000}\n---\n{body}"
    )
    quoted = quoting.quote(how, "rules/x.md", text, "shop")
    assert 0 < len(quoted.items) <= quoting.MOST_PARTS
    assert sum(len(full) + len(short) for full, short in quoted.items) < 50_000
    parts = len(quoting.parts_of(body)) if how == OWN else 1
    assert how != OWN or len(quoted.items) + quoted.more == parts


def test_a_rule_is_quoted_verbatim_and_in_a_line() -> None:
    assert quoting.quote(BODY, "rules/no-force.md", RULE, "shop") == Quoted(
        (("- Never force-push.", "- No force (rules/no-force.md): never force-push"),)
    )


@pytest.mark.parametrize(
    "change",
    [
        "status: superseded",
        "status: 'unconfirmed'  # ask first",
        "project: another",
        'project: "another"',
        "project:  another",
    ],
)
def test_a_note_that_is_no_longer_for_this_brief_says_nothing(change: str) -> None:
    text = RULE.replace("project: shop", change)
    assert quoting.quote(BODY, "rules/no-force.md", text, "shop") == Quoted()
    assert quoting.quote(LINE, "rules/no-force.md", text, "shop") == Quoted()


@pytest.mark.parametrize("change", ["status: null", "status: active # still", "project: global", "status:"])
def test_a_note_that_is_still_for_it_stays(change: str) -> None:
    assert quoting.quote(BODY, "rules/x.md", RULE.replace("project: shop", change), "shop").items


@pytest.mark.parametrize(
    "more", ["when: {tool: Bash}", "when:\n  tool: Bash", "origin: web", "origin: repository", "kind2: x\nwhen: [a]"]
)
def test_a_rule_that_no_longer_always_applies_comes_as_a_line(more: str) -> None:
    text = RULE.replace("project: shop", f"project: shop\n{more}")
    note = notes.from_text("rules/x.md", text)
    assert isinstance(note, notes.Note)
    assert not note.is_always_on
    ((full, short),) = quoting.quote(BODY, "rules/x.md", text, "shop").items
    assert full == short == "- No force (rules/x.md): never force-push"


@pytest.mark.parametrize(
    "more", ["when:", "when: null", "when: {}", "when: [] # none", "origin: user", "origin: agent"]
)
def test_a_rule_that_still_always_applies_comes_whole(more: str) -> None:
    text = RULE.replace("project: shop", f"project: shop\n{more}")
    note = notes.from_text("rules/x.md", text)
    assert isinstance(note, notes.Note)
    assert note.is_always_on
    assert quoting.quote(BODY, "rules/x.md", text, "shop").items[0][0] == "- Never force-push."


@pytest.mark.parametrize("text", ["", "no front matter", "---\nname: x\nnever closed", "\n---\nname: x\n---\n"])
def test_front_matter_that_is_none_is_said_with_the_path(text: str) -> None:
    ((line, _),) = quoting.quote(BODY, "rules/x.md", text, "shop").items
    assert line == "- x (rules/x.md): its front matter cannot be read; `holdfast check` says more"


def test_the_opening_that_we_wrote_is_not_the_operators_words() -> None:
    assert quoting.own_words(note_facets.refreshed(None, [])) == ""
    assert quoting.own_words(note_facets.refreshed(None, []).replace("\n", "\r\n")) == ""


def test_the_operators_words_above_and_below_the_map_are_theirs() -> None:
    text = note_facets.refreshed("I am Ada.\n", []) + "Below.\n"
    assert "I am Ada." in quoting.own_words(text)
    assert "Below." in quoting.own_words(text)
    assert "no notes yet" not in quoting.own_words(text)


WORDS = """# About me

I am Ada, and this paragraph
has two lines.

- first
  with more
- second

```sh
make

- not an item
```
Last.
"""


def test_own_words_come_in_parts_that_can_stand_alone() -> None:
    assert quoting.parts_of(WORDS.strip()) == [
        "# About me\n",
        "I am Ada, and this paragraph\nhas two lines.\n",
        "- first\n  with more",
        "- second\n",
        "```sh\nmake\n\n- not an item\n```\nLast.",
    ]


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(["- a", "  b", "text", "", "```", "~~~", "# h", "\t", "```py", "1. x", "````"]), max_size=20
    )
)
def test_parts_put_together_are_the_words_again_and_no_fence_is_cut(lines: list[str]) -> None:
    text = "\n".join(lines).strip()
    parts = quoting.parts_of(text)
    assert [line for part in parts for line in part.split("\n") if line.strip()] == [
        line for line in text.split("\n") if line.strip()
    ]
    for part in parts[:-1]:  # the last may have one that its author never closed
        inside = ""
        for line in part.split("\n"):
            tidy = line.strip()
            if inside:
                inside = "" if tidy.startswith(inside) and not tidy.strip(inside[0]) else inside
            elif tidy[:3] in ("```", "~~~"):
                inside = tidy[:3]
        assert not inside


HANDED = """---
title: Orders
time: 2026-11-01T10:00:00Z
branch: main
host: claude-code
project: shop
---

# Orders

Free words.

## Done

- one ([note](../../knowledge/one.md))
- two

## Risks

- a heading of the author's own

## next:

- three
"""


def test_all_of_a_handoff_is_quoted_whatever_its_author_called_the_parts() -> None:
    quoted = quoting.quote(f"{HANDOFF}:12", "lineage/shop/x.md", HANDED, "shop")
    assert [full for full, _ in quoted.items] == [
        "Newest handoff, session 12 (2026-11-01 10:00, main, claude-code): Orders",
        "Done:\n- one (knowledge/one.md)\n- two",
        "Orders: Free words.",
        "Risks: a heading of the author's own",
        "next: three",
    ]


def test_what_the_next_session_needs_first_comes_first() -> None:
    text = HANDED.replace("## Risks", "## Next steps")
    fulls = [full for full, _ in quoting.quote(f"{HANDOFF}:1", "lineage/shop/x.md", text, "shop").items]
    assert fulls[1].startswith("Next steps:")


def test_a_handoff_of_another_project_is_not_quoted() -> None:
    assert quoting.quote(f"{HANDOFF}:12", "lineage/shop/x.md", HANDED, "another") == Quoted()
    assert quoting.quote(f"{BESIDE}:12", "lineage/shop/x.md", HANDED, "another") == Quoted()


@pytest.mark.parametrize("origin", ["tool", "web", "repository", "import"])
def test_the_mark_of_an_origin_is_read_as_it_was_written(origin: str) -> None:
    assert quoting.said_by(f"Locks have versions{quoting.from_mark(origin)}") == ("Locks have versions", origin)


@pytest.mark.parametrize("ending", [" (from user)", " (from agent)", " (from nowhere)", " (from )", " (from web", ""])
def test_nobody_becomes_the_user_by_ending_an_item_so(ending: str) -> None:
    assert quoting.said_by(f"Locks have versions{ending}") == (f"Locks have versions{ending}", "agent")
    assert quoting.from_mark("user") == quoting.from_mark("agent") == quoting.from_mark("") == ""
