"""A snag becomes an edit: of which note, with which words, armed or not; and what it may not touch."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from improve_support import NOW, OTHER, SHOP, Desk

from holdfast.capture import flag_words, flags
from holdfast.capture.armed_match import matches
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.close.filing import Filing
from holdfast.close.improve import edit_record, improvement, proposals, review, snags
from holdfast.close.improve.snags import Snag, key_of, parsed
from holdfast.errors import UsageError
from holdfast.model import Flag
from holdfast.vault import armed, merge, notes
from holdfast.vault.index import Index
from holdfast.vault.transaction import writing


@pytest.fixture
def desk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOLDFAST_HOME", f"{place}/vault")
    return Desk(place)


def a_flag(text: str, *evidence: str) -> Flag:
    return flags.make(text, now=NOW, kind="snag", evidence=evidence, project=SHOP)[0]


@pytest.mark.parametrize(
    ("argv", "skill", "rule"),
    [
        (["it hung", "--better", "set TZ", "--skill", "render"], "render", ""),
        (["it hung", "--better", "set TZ", "--rule=Always set TZ"], "", "Always set TZ"),
        (["it hung", "-b", "set TZ", "-s", "render", "-e", "a.py:1"], "render", ""),
        (["it hung", "--better", "set TZ"], "", ""),
    ],
)
def test_what_should_learn_travels_with_the_flag(argv: list[str], skill: str, rule: str) -> None:
    words = flag_words.read("snag", argv)
    flag = a_flag(words.texts[0], *words.evidence)
    back = Flag.from_record(flag.as_record())
    assert parsed(back) == Snag("it hung", "set TZ", skill, rule)


@pytest.mark.parametrize(
    "more", [["--skill", "a", "--rule", "b"], ["--skill", "../up"], ["--skill", "a/b"], ["--rule", " "], ["--skill"]]
)
def test_a_snag_for_two_or_for_no_name_is_refused(more: list[str]) -> None:
    with pytest.raises(UsageError, match="nothing was written"):
        flag_words.read("snag", ["x", "--better", "y", *more])


@pytest.mark.parametrize(
    ("text", "wrong", "better"),
    [
        ("The test hung. Better: set TZ", "The test hung", "set TZ"),
        ("Snag: it broke! better: ask first.", "it broke!", "ask first"),
        ("It broke - instead: ask", "It broke", "ask"),
        ("The replay test hangs", "The replay test hangs", ""),
        ("Better: ask", "Better: ask", ""),
    ],
)
def test_a_snag_that_was_only_flagged_is_understood_as_far_as_it_says(text: str, wrong: str, better: str) -> None:
    assert parsed(a_flag(text)) == Snag(wrong, better)


@pytest.mark.slow
@given(wrong=st.text(min_size=1, max_size=900), better=st.text(max_size=900))
@settings(deadline=None, max_examples=200)
def test_the_line_always_fits_what_an_armed_note_brings_back(wrong: str, better: str) -> None:
    line = Snag(wrong, better).line
    assert len(line) <= armed.MOST_LETTERS
    assert line.startswith("Snag: ")
    assert not better or " Better: " in line


@pytest.mark.parametrize(
    ("wrong", "better", "call"),
    [
        ("docker prune took the volumes", "name the image", ("Bash", "docker system prune -af", ())),
        ("git push --force overwrote work", "use --force-with-lease", ("Bash", "git push --force origin", ())),
        ("the test hung without TZ", "run `TZ=UTC pytest -x`", ("Bash", "pytest tests/unit", ())),
        ("`scripts/render.py --full` hung", "render one frame", ("Bash", "python scripts/render.py --full a", ())),
        ("rendering all of plan.dwg hung the session", "clip it", ("Read", "", ("/home/u/shop/plan.dwg",))),
        ("editing src/app/[id].tsx broke routes", "run the tests", ("Edit", "", ("src/app/[id].tsx",))),
        ("WebFetch of the docs timed out", "use the mirror", ("WebFetch", "https://x", ())),
        ("mcp__github__create_issue made doubles", "search first", ("mcp__github__create_issue", "", ())),
        ("the Read tool choked on logs/huge.txt", "use rg", ("Read", "", ("logs/huge.txt",))),
        ("`make deploy` fails without VPN", "connect first", ("Bash", "make deploy", ())),
        ("edited ./conf/app.toml by hand", "use the script", ("Write", "", ("/x/conf/app.toml",))),
    ],
)
def test_a_snag_that_names_a_call_waits_for_that_call(
    wrong: str, better: str, call: tuple[str, str, tuple[str, ...]]
) -> None:
    when = snags.derived(Snag(wrong, better))
    assert when
    assert armed.problems_of(when) == []
    assert matches(armed.read(when).as_record(), *call)
    assert not matches(armed.read(when).as_record(), "Bash", "ls", ("README.md",))


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            "git refused",
            "the Bash tool ate the quotes",
            "just run it and make sure",
            "Node.js was too old",
            "it broke",
        ),
        *("and/or I/O 24/7 3.11 e.g.", "we go get it, then make test data", "edited ../secrets.env", "`ls` was slow"),
        *("see https://example.com/a/b.py", "the python version was wrong", "Read it, then Write it", "npm was slow"),
    ],
)
def test_what_names_no_call_that_can_be_told_from_others_arms_nothing(wrong: str) -> None:
    assert snags.derived(Snag(wrong, "ask first")) is None


def test_a_command_of_two_letters_is_not_found_in_other_commands() -> None:
    when = snags.derived(Snag("rg ignored the hidden folder", "pass --hidden"))
    assert when == {"tool": "Bash", "words": ["rg"]}
    known = armed.read(when)
    assert armed.matches(known, "Bash", "rg -n todo src", ())
    for command in ("git merge origin/main", "cargo build", "echo target"):
        assert not armed.matches(known, "Bash", command, ())


def test_long_words_cost_no_time() -> None:
    began = time.monotonic()
    for text in ("./" + "a" * 3900 + "*", "/" + "a/" * 1900 + "*", "`" + "x " * 90 + "`" * 100, "better: " * 500):
        snags.derived(Snag(text, text))
        parsed(a_flag(text))
    assert time.monotonic() - began < 2


PIECES = st.sampled_from(
    ["docker", "git", "`", "push", " ", "/", "a.py", "--force", "Read tool", "~/", "..", "*", "[x]"]
)


@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=200), st.lists(PIECES, max_size=12).map("".join))
@settings(deadline=None, max_examples=400)
def test_no_words_give_a_when_that_is_refused_or_fires_at_everything(wrong: str, better: str) -> None:
    when = snags.derived(Snag(wrong, better))
    assert when is None or (armed.problems_of(when) == [] and when == snags.derived(Snag(wrong, better)))


@pytest.mark.slow
def test_a_named_rule_gets_the_better_path_below_its_words(desk: Desk) -> None:
    desk.write("rules/small-steps.md", body="Keep it small.")
    flag = desk.snag("the change was too big", "split it in three", "a.py", "rule:Small steps")
    (loop,) = desk.close(flag)
    assert (loop.state, loop.where, loop.is_open) == ("applied", "rules/small-steps.md", False)
    note = desk.note("rules/small-steps.md")
    assert (
        note.body
        == "\nKeep it small.\n\nSnag: the change was too big. Better: split it in three\n\nEvidence:\n- a.py\n"
    )
    assert note.sources == (flag.id,)
    assert not note.when  # an armed rule would no longer always apply


@pytest.mark.slow
def test_a_rule_that_is_not_there_is_made_for_its_project(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag("docker prune took the volumes", "name the image", "rule:Never prune blindly"))
    note = desk.note("rules/never-prune-blindly.md")
    assert (note.kind, note.project, note.origin, note.name) == ("rule", SHOP, "agent", "Never prune blindly")
    assert note.when == {"tool": "Bash", "words": ["docker", "prune"]}
    assert loop.state == "applied"
    desk.close(desk.snag("pushed at night", "wait for the morning", "rule:Quiet nights"))
    assert desk.note("rules/quiet-nights.md").is_always_on


@pytest.mark.slow
def test_a_rule_of_another_project_is_not_the_one_that_is_meant(desk: Desk) -> None:
    desk.write("rules/small-steps.md", project=OTHER)
    before = desk.text("rules/small-steps.md")
    (loop,) = desk.close(desk.snag("too big", "split it", "rule:Small steps"))
    assert loop.where == "rules/small-steps-2.md"
    assert desk.text("rules/small-steps.md") == before


@pytest.mark.slow
def test_what_names_a_command_becomes_an_armed_note_in_the_same_commit(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag("docker prune took the volumes", "name the image", "log:3"))
    note = desk.note("feedback/snag-docker-prune.md")
    assert note.when == {"tool": "Bash", "words": ["docker", "prune"]}
    assert "Snag: docker prune took the volumes. Better: name the image" in note.body
    assert loop.where == "feedback/snag-docker-prune.md"
    assert "docker" in Path(f"{desk.state}/armed").read_text()
    assert {"feedback/snag-docker-prune.md", f"improvements/{loop.id}.md"} <= set(desk.changed())


@pytest.mark.slow
def test_the_same_snag_again_adds_to_the_same_note_and_another_one_joins_it(desk: Desk) -> None:
    first = desk.snag("docker prune took the volumes", "name the image")
    again = desk.snag("Docker  prune took the volumes!", "Name the image")
    desk.close(first)
    desk.close(again, desk.snag("docker prune ran for an hour", "prune images only"))
    assert desk.files("feedback") == ["snag-docker-prune.md"]
    note = desk.note("feedback/snag-docker-prune.md")
    assert note.body.count("took the volumes") == 1
    assert "ran for an hour" in note.body
    assert {first.id, again.id} < set(note.sources)


@pytest.mark.slow
def test_two_of_one_close_share_a_note_and_a_full_one_gets_a_neighbour(desk: Desk) -> None:
    given = [desk.snag(f"docker prune took volume {nth} {'x' * 150}", "name the image") for nth in range(6)]
    found = desk.close(*given)
    assert desk.files("feedback") == [f"snag-docker-prune{end}.md" for end in ("-2", "-3", "")]
    assert len({desk.note(loop.path).name for loop in found}) == 3
    for loop in found:
        lines = [line for line in desk.note(loop.path).body.splitlines() if line]
        assert len(lines) <= armed.MOST_LINES
        assert sum(map(len, lines)) <= armed.MOST_LETTERS


@pytest.mark.slow
def test_what_names_nothing_is_a_note_as_any_flag_and_the_loop_says_so(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag("forgot to ask the user", "ask first", "skill:nowhere"))
    assert (loop.state, loop.stage, loop.is_open, loop.is_late) == ("noted", "noted", True, False)
    assert desk.note(loop.where).body.strip() == "forgot to ask the user. Better: ask first"
    assert "skill:" not in desk.text(loop.where)
    (told,) = desk.listing().open
    assert told.why == "there is no skill nowhere in this project or in the home that may be read"


@pytest.mark.slow
@pytest.mark.parametrize("fields", [{"origin": "user"}, {"project": "global"}])
def test_the_operators_own_words_change_only_by_their_word(desk: Desk, fields: dict[str, str]) -> None:
    desk.write("rules/mine.md", **fields)
    before = desk.text("rules/mine.md")
    flag = desk.snag("docker prune took the volumes", "name the image", "rule:mine")
    (loop,) = desk.close(flag)
    assert desk.text("rules/mine.md") == before
    assert (loop.state, loop.where, loop.is_open) == ("proposed", "rules/mine.md", True)
    assert desk.note(loop.path).when  # the memory works meanwhile
    (proposal,) = proposals.listing(desk.state, SHOP)
    assert "+Snag: docker prune took the volumes. Better: name the image" in proposal.diff
    desk.close(flag)
    assert len(proposals.listing(desk.state)) == 1
    proposals.accept(desk.vault, desk.state, proposal.id, desk.now, by=BY_USER)
    assert "Better: name the image" in desk.text("rules/mine.md")
    assert [(one.state, one.where) for one in desk.listing().closed] == [("applied", "rules/mine.md")]


@pytest.mark.slow
def test_a_person_who_snags_may_change_their_own_rule(desk: Desk) -> None:
    desk.write("rules/mine.md", origin="user")
    (loop,) = desk.close(desk.snag("it was late", "stop at ten", "rule:mine", origin="user"))
    assert loop.state == "applied"
    assert "stop at ten" in desk.text("rules/mine.md")


@pytest.mark.slow
def test_a_note_that_a_person_edits_at_this_moment_is_left_to_them(desk: Desk) -> None:
    desk.write("rules/busy.md")
    texts = {"rules/busy.md": desk.text("rules/busy.md")}
    made = Filing(Index({}, ()).with_texts(texts), texts.get, avoid=frozenset(texts))
    loop = improvement.file(made, desk.snag("docker prune", "no", "rule:busy"), None, desk.place())
    assert "rules/busy.md" not in made.texts
    assert loop.path in made.texts


@pytest.mark.slow
def test_a_close_that_was_killed_behind_its_commit_comes_to_the_same(desk: Desk) -> None:
    desk.write("rules/mine.md", origin="user")
    given = [
        desk.snag("docker prune took the volumes", "name the image"),
        desk.snag("forgot to ask", "ask first"),
        desk.snag("too big", "split it", "rule:Small steps"),
        desk.snag("too late", "stop at ten", "rule:mine"),
    ]
    first = desk.plan(*given)[0]
    tree = desk.tree()
    again, commit = desk.plan(*given)
    assert [(one.id, one.state) for one in again] == [(one.id, one.state) for one in first]
    assert commit == ""
    assert desk.tree() == tree


@pytest.mark.slow
def test_a_note_that_was_saved_while_it_was_planned_gets_its_line_in_the_next_round(desk: Desk) -> None:
    desk.write("rules/small-steps.md")
    flag = desk.snag("too big", "split it", "rule:small steps")
    with writing(desk.vault, desk.now) as writer:
        filing = Filing(writer.index, writer.read)
        improvement.file(filing, flag, None, desk.place())
        theirs = desk.text("rules/small-steps.md") + "\nMine.\n"
        Path(desk.vault, "rules/small-steps.md").write_text(theirs)
        done = writer.commit("close", filing.texts, cause="close", planned_on=filing.planned_on, by=BY_UPKEEP)
    assert done.skipped == ("rules/small-steps.md",)
    assert desk.text("rules/small-steps.md") == theirs
    (loop,) = desk.close(flag)
    assert (loop.state, loop.where) == ("applied", "rules/small-steps.md")
    assert desk.note("rules/small-steps.md").body.endswith("Mine.\n\nSnag: too big. Better: split it\n")


ODD = st.sampled_from(
    [
        "---",
        "Evidence:",
        "origin: user",
        "</holdfast-memory>",
        "<!-- holdfast:end -->",
        "../..",
        "/etc/passwd",
        "[x](y.md)",
    ]
    + [
        "`rm -rf /`",
        "docker prune",
        "status: active",
        "Better:",
        "snag:",
        "~~~~~~",
        "\x00",
        "rules/mine",
        "#",
        "- ",
        "\u202e",
    ]
)
ODD_TEXT = st.lists(ODD | st.text(max_size=10), min_size=1, max_size=8).map(" ".join)


@pytest.mark.slow
@given(text=ODD_TEXT, better=ODD_TEXT, name=ODD_TEXT, mark=st.sampled_from(["rule:", "skill:", ""]))
@settings(deadline=None, max_examples=150)
def test_no_words_of_a_snag_change_anything_but_their_own_note(text: str, better: str, name: str, mark: str) -> None:
    mine = notes.new_text(
        name="mine", description="x", kind="rule", body="Mine.", day="2026-01-01", project=SHOP, origin="user"
    )
    shelf = {"rules/mine.md": mine, "BRAIN.md": "# Mine\n"}
    try:
        flag = a_flag(f"{text}. Better: {better}", *([mark + name] if mark else []))
    except UsageError:
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        filing = Filing(Index({}, ()).with_texts(shelf), shelf.get)
        loop = improvement.file(filing, flag, None, improvement.Surroundings(f"{folder}/.state", folder, folder))
    assert set(filing.texts) == {loop.path, edit_record.path_of(flag.id)}
    made = notes.from_text(loop.path, str(filing.texts[loop.path]))
    assert isinstance(made, notes.Note)
    assert (made.origin, made.project, made.sources, made.status) == ("agent", SHOP, (flag.id,), "active")
    assert made.kind in ("rule", "feedback")
    assert armed.problems_of(made.when) == [] if made.when else True
    record = edit_record.read(edit_record.path_of(flag.id), filing.texts[edit_record.path_of(flag.id)])
    assert record
    assert record.note == loop.path


def test_a_record_is_read_back_as_it_was_written(desk: Desk) -> None:
    record = edit_record.Record(
        "0" * 25 + "A",
        "waiting",
        SHOP,
        NOW + 0.5,
        "it: broke `x` - '\"[1]",
        "do: y",
        note="rules/x.md",
        made=True,
        lines=("Snag: a. Better: b", "- c: d"),
        when={"tool": "Bash", "words": ["a"]},
        file="/r/SKILL.md",
        added=("x",),
        before="b",
        after="a",
        patch=merge.patch("x", "a\nb\n", "a\nb\nc\n"),
    )
    assert edit_record.read(record.path, edit_record.render(record)) == record
    assert edit_record.read("improvements/other.md", edit_record.render(record)) is None
    assert edit_record.read(record.path, "---\nloop: [\n---\n") is None


TEXTS = st.text(alphabet="ab~-+@\\ \r\x0c\u2028\n", max_size=30) | st.lists(
    st.sampled_from(["~~~~~~", "~~~~~~diff", "-- a", "++ b", "@@ -1 +1 @@", "a", "\\ No newline at end of file", ""])
).map("\n".join)


@given(before=TEXTS, after=TEXTS)
@settings(deadline=None, max_examples=300)
def test_a_whole_patch_has_both_sides_also_once_its_record_was_read_back(before: str, after: str) -> None:
    if before == after:
        return
    patch = merge.whole_patch("x", before, after)
    assert merge.sides(patch) == (before, after)
    made = edit_record.Record("0" * 25 + "A", "applied", SHOP, NOW, "w", "b", note="x", whole=True, patch=patch)
    read = edit_record.read(made.path, edit_record.render(made))
    assert read
    assert merge.sides(read.patch) == (before, after)


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_patch_that_lacks_a_line_gives_no_text(cut: int) -> None:
    lines = merge.whole_patch("x", "a\nb\n", "a\nc\nd\n").splitlines(keepends=True)
    with pytest.raises(ValueError, match="patch"):
        merge.sides("".join(lines[:-cut]))


def test_a_patch_that_may_not_be_kept_whole_is_none(token: str) -> None:
    before = f"---\nx\n---\n\nThe key is {token}\n\nfive\nsix\nseven\n"
    assert merge.whole_patch("x", before, before + "more\n") == ""
    assert merge.whole_patch("x", "a\ud800\n", "b\n") == ""


@pytest.mark.slow
def test_a_secret_in_a_skill_does_not_travel_with_the_vault(desk: Desk, token: str) -> None:
    path = desk.skill(text=f"# Render\n\nThe key is {token}\n")
    desk.close(desk.snag("it hung", "one frame", "skill:render"))
    assert all(token not in text for text in desk.tree().values())
    assert token in path.read_text()


@pytest.mark.slow
def test_the_next_starts_hear_what_changed_in_one_line(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag("docker prune took the volumes", "name the image"))
    said = desk.notices()
    assert said == [
        'Changed by a snag: feedback/snag-docker-prune.md now says "name the image", and comes back at docker prune; '
        f"`holdfast loops --undo {loop.id[-8:]}` takes it back."
    ]
    assert desk.notices(OTHER) == []
    desk.now += 8 * 86400
    assert desk.notices() == []


@pytest.mark.slow
def test_many_snags_of_one_close_are_told_in_few_lines(desk: Desk) -> None:
    desk.close(*(desk.snag(f"number {nth} broke", "ask") for nth in range(9)))
    assert len(desk.notices()) == improvement.MOST_TOLD + 1
    assert any("6 more snags" in line for line in desk.notices())


@pytest.mark.slow
def test_a_close_that_is_killed_and_run_again_tells_everything_once(desk: Desk) -> None:
    given = [desk.snag(f"number {nth} broke", "ask") for nth in range(9)]
    desk.close(*given)
    said = sorted(desk.notices())
    desk.close(*given)  # its flags never left the queue; this time nothing is left to commit
    assert sorted(desk.notices()) == said
    more = [*given, desk.snag("number 9 broke", "ask")]
    desk.close(*more)
    assert len(desk.notices()) == improvement.MOST_TOLD + 1
    assert any("7 more snags" in line for line in desk.notices())


@pytest.mark.slow
def test_what_was_taken_back_before_its_close_was_run_again_is_not_told(desk: Desk) -> None:
    flag = desk.snag("docker prune took the volumes", "name the image")
    (loop,) = desk.close(flag)
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    desk.close(flag)
    assert desk.notices() == []


@pytest.mark.slow
def test_the_sentence_goes_with_the_edit_whichever_project_was_closed(desk: Desk) -> None:
    (loop,), commit = desk.plan(desk.snag("docker prune took the volumes", "name the image", project=OTHER))
    improvement.after_commit(desk.state, [loop], commit, desk.now, SHOP)
    assert (len(desk.notices(OTHER)), desk.notices()) == (1, [])
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert desk.notices(OTHER) == []


@pytest.mark.slow
def test_many_snags_about_one_call_cost_the_same_each(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = notes.from_text

    def counted(path: str, text: str) -> notes.Note | notes.Broken:
        read.append(path)
        return real(path, text)

    monkeypatch.setattr(notes, "from_text", counted)

    def cost(count: int) -> int:
        """How many notes were parsed."""
        filing = Filing(Index({}, ()), lambda _: None)
        where = improvement.Surroundings(f"{place}/.state")
        read.clear()
        for nth in range(count):
            words = f"git push of branch {nth} was refused by hook {nth} {'z' * 150}"
            flag = flags.make(f"{words}. Better: run step {nth}", now=NOW + nth, kind="snag", project=SHOP, nth=nth)[0]
            improvement.file(filing, flag, None, where)
        assert len(set(filing.placed.values())) == count / 2
        return len(read)

    assert cost(400) <= 4 * cost(100) + 10  # parsing every note again for each would be sixteen times as much


@pytest.mark.slow
def test_a_note_that_grew_by_hand_keeps_every_byte(desk: Desk) -> None:
    text = (
        "---\nname:  'Odd'  # why\nkind: rule\nstatus: active\nproject: shop-11111111\norigin: agent\nsources:\n"
        "  - A  # kept\n---\nMine.\n\n- a list\n"
    )
    Path(desk.vault, "rules").mkdir()
    Path(desk.vault, "rules/odd.md").write_text(text)
    desk.close(desk.snag("it broke", "mend it", "rule:odd"))
    after = desk.text("rules/odd.md")
    for line in text.splitlines():
        assert f"{line}\n" in after
    assert after.endswith("Mine.\n\n- a list\n\nSnag: it broke. Better: mend it\n")


def test_the_key_of_a_snag_is_its_words() -> None:
    assert key_of("Snag: A b!  Better: c.") == key_of("snag:  a  B. better c")
    assert key_of("Snag: a") != key_of("Snag: b")


@pytest.mark.slow
def test_a_flag_whose_id_is_no_name_is_filed_without_a_record(desk: Desk) -> None:
    flag = Flag("../up", NOW, "", "", SHOP, "snag", "it broke. Better: mend it")
    desk.plan(flag)
    assert desk.files("improvements") == []
    assert [desk.note(f"feedback/{one}").sources for one in desk.files("feedback")] == [("../up",)]


@pytest.mark.slow
def test_the_form_of_notes_stays_one_that_check_accepts(desk: Desk) -> None:
    from holdfast.vault import check

    desk.close(
        desk.snag("docker prune took the volumes", "name the image", "a.py:1"),
        desk.snag("too big", "split it", "rule:Small steps"),
        desk.snag("forgot to ask", "ask first"),
    )
    found = check.check(desk.vault, desk.now).findings
    assert [one for one in found if one.level != "warning"] == []
    assert all(notes.read(desk.vault, path) for path in notes.paths(desk.vault))
