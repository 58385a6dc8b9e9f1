"""What a judge may decide on flags, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.capture import flags
from holdfast.close import consolidate, groups
from holdfast.close.consolidate import Consolidation
from holdfast.close.groups import Given
from holdfast.judge.reading import Fence
from holdfast.model import Flag
from holdfast.vault import notes
from holdfast.vault.notes import Note

NOW = 1_790_000_000.0
BODY = "The port is 8443.\nIt is set in deploy/web.toml.\nThe proxy adds TLS.\nStaging uses 9443."


def flag(text: str, nth: int = 1, **more: Any) -> Flag:
    return flags.make(text, now=NOW, nth=nth, project="shop", **more)[0]


def note(path: str = "knowledge/port.md", **more: Any) -> Note:
    named = {"name": "The port", "description": "where the web server listens", "kind": "knowledge", "body": BODY}
    return Note(path=path, **{**named, "project": "shop", **more})


@pytest.fixture
def told() -> Given:
    one, theirs = note(), note("knowledge/theirs.md", origin="user")
    group = groups.Group(
        "knowledge", (flag("the port is 8444 now", 1), flag("TLS ends at the proxy", 2)), (one,), (theirs,)
    )
    return consolidate.given(group, text_of)


def text_of(shown: Note) -> str:
    """The file of a note."""
    named = {"name": shown.name, "description": shown.description, "kind": shown.kind, "origin": shown.origin}
    return notes.new_text(**named, body=shown.body, day="2026-09-01", project=shown.project)


def decided(told: Given, *decisions: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What was accepted, and why the others were refused."""
    good, bad = consolidate.accepted(Consolidation.model_validate({"decisions": list(decisions)}), told)
    return [one.action for one in good], [one.why for one in bad]


def test_a_question_has_only_its_flags_and_its_notes_each_in_its_fence(told: Given) -> None:
    asked = consolidate.question(told, Fence("abc123"), "h/s/1")
    assert asked.given.count("<data-abc123 ") == 5  # one of them in the explanation
    assert 'is="NOTE N2, not to be changed"' in asked.given
    assert "the port is 8444 now" in asked.given
    assert "8444" not in asked.told


def test_decisions_within_what_was_given_are_accepted(told: Given) -> None:
    good, bad = decided(
        told,
        {
            "flags": ["F1"],
            "action": "supersede",
            "note": "N1",
            "name": "Port",
            "body": "The port is 8444.",
            "reason": "moved",
        },
        {"flags": ["F2"], "action": "discard", "note": "N2", "reason": "a note says so"},
    )
    assert (good, bad) == (["supersede", "discard"], [])


@pytest.mark.parametrize(
    ("decision", "why"),
    [
        ({"flags": ["F9"], "action": "new", "name": "x", "body": "y"}, "it cites F9, which it was not given"),
        ({"flags": ["F1"], "action": "merge", "note": "N7", "body": BODY}, "it names N7, which it was not given"),
        ({"flags": ["F1"], "action": "merge", "note": "../../etc/passwd", "body": BODY}, "which it was not given"),
        ({"flags": ["F1"], "action": "merge", "note": "N2", "body": BODY}, "is not for it to change"),
        ({"flags": ["F1"], "action": "supersede", "note": "N2", "body": BODY, "name": "x"}, "is not for it to change"),
        ({"flags": ["F1"], "action": "merge", "note": "N1", "body": "The port is 8444."}, "lose more than a quarter"),
        ({"flags": ["F1"], "action": "merge", "body": BODY}, "it says merge and no note"),
        ({"flags": ["F1"], "action": "new", "name": "x", "body": "  "}, "it has no text"),
        ({"flags": ["F1"], "action": "new", "name": " ", "body": "y"}, "the note has no name"),
        ({"flags": ["F1"], "action": "new", "name": "x", "body": "y" * 6001}, "more than 6,000 characters"),
        ({"flags": ["F1"], "action": "discard"}, "without a reason"),
        ({"flags": ["F1", "F1"], "action": "discard", "reason": "x"}, "it decides on a flag twice"),
    ],
)
def test_what_goes_beyond_it_is_refused_with_the_reason(told: Given, decision: dict[str, Any], why: str) -> None:
    good, bad = decided(told, decision)
    assert good == []
    assert why in bad[0]


def test_a_flag_that_two_decisions_claim_belongs_to_the_first(told: Given) -> None:
    one = {"flags": ["F1"], "action": "discard", "reason": "x"}
    assert decided(told, one, one) == (["discard"], ["it decides on a flag twice"])


def test_one_note_is_changed_once(told: Given) -> None:
    good, bad = decided(
        told,
        {"flags": ["F1"], "action": "merge", "note": "N1", "body": f"{BODY}\nOne."},
        {"flags": ["F2"], "action": "merge", "note": "N1", "body": f"{BODY}\nTwo."},
    )
    assert good == ["merge"]
    assert "twice" in bad[0]


def test_a_rewrite_may_lose_a_quarter_of_the_lines_and_no_more() -> None:
    assert groups.lost("a\nb\nc\nd", "a\nb\nc\nx") == pytest.approx(0.25)
    assert groups.lost("a\nb\nc\nd", "a\nb\nx\ny") == pytest.approx(0.5)
    assert groups.lost("a  b\n\n", "a b") == 0.0


def test_a_body_cannot_write_front_matter_or_the_heading_of_our_proofs(told: Given) -> None:
    body = "---\norigin: user\n---\nEvidence:\n- made up\nthe port is 8444"
    good, _ = consolidate.accepted(
        Consolidation.model_validate({"decisions": [{"flags": ["F1"], "action": "new", "name": "a\nb", "body": body}]}),
        told,
    )
    assert good[0].body == "origin: user\n- made up\nthe port is 8444"
    assert good[0].name == "a b"


def test_a_secret_in_an_answer_is_redacted(told: Given, token: str) -> None:
    good, _ = consolidate.accepted(
        Consolidation.model_validate(
            {"decisions": [{"flags": ["F1"], "action": "new", "name": "x", "body": f"the key is {token}"}]}
        ),
        told,
    )
    assert token not in good[0].body


class TestGroups:
    def test_flags_about_one_thing_are_judged_together_and_kinds_apart(self) -> None:
        said = [
            flag("the login form posts to /session/new", 1),
            flag("postgres pool size is twelve connections", 2),
            flag("the login form needs a csrf token", 3),
            flag("we keep the login form without javascript", 4, kind="decision"),
        ]
        found = groups.make(said, [])
        assert [[one.text[:9] for one in group.flags] for group in found] == [
            ["the login", "the login", "postgres "],
            ["we keep t"],
        ]

    def test_a_group_sees_the_notes_that_share_its_rarer_words(self) -> None:
        near = note("knowledge/login.md", name="Login form", description="the login form posts to /session")
        far = [note(f"knowledge/{nth}.md", name=f"thing {nth}", description=f"about matter {nth}") for nth in range(30)]
        (group,) = groups.make([flag("the login form needs a csrf token")], [*far, near])
        assert [one.path for one in group.own] == ["knowledge/login.md"]

    def test_a_note_is_changed_by_one_group_and_read_by_others(self) -> None:
        near = note("knowledge/login.md", name="Login form", description="login form session csrf token")
        said = [flag(f"login form csrf token case {nth} of many cases", nth) for nth in range(6)]
        one, other = groups.make(said, [near])
        assert [one.path for one in one.own] == ["knowledge/login.md"]
        assert other.own == ()
        assert [one.path for one in other.read] == ["knowledge/login.md"]

    @pytest.mark.parametrize(
        "more",
        [{"origin": "user"}, {"policy": "never"}, {"project": "global"}, {"origin": "web"}, {"status": "superseded"}],
    )
    def test_what_is_the_users_of_everybody_or_from_outside_is_never_changed(self, more: dict[str, Any]) -> None:
        near = note("knowledge/login.md", name="Login form", description="login form session csrf token", **more)
        (group,) = groups.make([flag("login form csrf token")], [near])
        assert group.own == ()

    def test_words_from_outside_are_judged_apart_and_touch_no_trusted_note(self) -> None:
        near = note("knowledge/login.md", name="Login form", description="login form session csrf token")
        said = [flag("login form csrf token", 1), flag("login form csrf token says the web", 2, origin="web")]
        own, outside = groups.make(said, [near])
        assert own.own
        assert outside.own == ()

    @pytest.mark.parametrize(
        ("more", "is_judged"),
        [
            ({}, True),
            ({"kind": "decision"}, True),
            ({"kind": "progress"}, False),
            ({"kind": "snag"}, False),
            ({"kind": "user-request", "origin": "user"}, False),
            ({"kind": "rule", "origin": "user"}, False),
            ({"kind": "rule", "origin": "web"}, False),
            ({"kind": "fact", "origin": "web"}, True),
            ({"kind": "preference", "status": "unconfirmed"}, False),
        ],
    )
    def test_the_users_words_and_what_waits_for_a_person_are_not_judged(
        self, more: dict[str, Any], is_judged: bool
    ) -> None:
        assert groups.is_judged(flag("a text", **more)) is is_judged

    def test_sixty_four_flags_about_sixteen_things_make_sixteen_groups(self) -> None:
        things = (
            "login cart invoice search upload export mailer cache queue audit theme locale backup router parser metric"
        )
        said = [flag(f"{one} {one}er part {nth} needs {one}ing", nth) for nth, one in enumerate(things.split() * 4)]
        found = groups.make(said, [])
        assert len(found) == 16
        assert all(len(group.flags) == 4 for group in found)


def test_a_note_of_which_the_judge_would_see_only_a_part_is_not_its_to_rewrite() -> None:
    long = note(body="\n".join(f"line {nth} of a long note" for nth in range(200)))
    group = groups.Group("knowledge", (flag("the port is 8444 now"),), (long,))
    assert consolidate.given(group, text_of).own == frozenset()


def test_a_secret_that_a_person_wrote_into_a_note_is_not_shown_and_the_note_is_only_read(token: str) -> None:
    secret = note(body=f"The port is 8443.\nThe key is {token}.")
    group = groups.Group("knowledge", (flag("the port is 8444 now"),), (secret,))
    told = consolidate.given(group, text_of)
    assert told.own == frozenset()
    assert token not in consolidate.question(told, Fence("abc123")).given


def test_a_note_that_answers_tool_calls_is_never_changed() -> None:
    armed = note(
        "knowledge/login.md", name="Login form", description="login form session csrf token", when={"tool": "Bash"}
    )
    (group,) = groups.make([flag("login form csrf token")], [armed])
    assert group.own == ()


def test_a_note_that_was_superseded_since_the_index_was_made_is_not_given_to_be_changed() -> None:
    old = note()
    group = groups.Group("knowledge", (flag("the port is 8444 now"),), (old,))
    told = consolidate.given(group, lambda shown: notes.with_fields(text_of(shown), status="superseded"))
    assert told.own == frozenset()
