"""Check: each thing that can be wrong is found at its line, nothing else is, and --fix does only what is safe."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture.gate import BY_UPKEEP
from holdfast.vault import check, note_facets, notes
from holdfast.vault.anchors import make
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from pathlib import Path

    from hook_support import Home, Terminal

    from holdfast.vault.check_notes import Finding, Report

NOW = 1_770_000_000.0  # 2026-02-02


def a_note(name: str, body: str = "Text.", **more: Any) -> str:
    fields = {"kind": "knowledge", "project": "global", "origin": "user", **more}
    return notes.new_text(name=name, description=f"{name} in a line", body=body, day="2026-02-01", **fields)


def fill(vault: str, texts: dict[str, str]) -> None:
    with writing(vault, NOW) as writer:
        writer.commit("test", texts, cause="test", by=BY_UPKEEP)


def found(vault: str, **more: Any) -> list[tuple[str, str]]:
    return [(one.path, one.code) for one in check.check(vault, NOW, **more).findings]


def only(report: Report) -> Finding:
    assert len(report.findings) == 1, report.findings
    return report.findings[0]


def check_one(vault: str, text: str, path: str = "knowledge/a.md") -> Finding:
    """The one finding of a vault that has one note."""
    fill(vault, {path: text})
    return only(check.check(vault, NOW))


def git(vault: str, *words: str) -> str:
    return subprocess.run(["git", "-C", vault, *words], check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_an_absent_vault_and_a_good_one_have_no_findings(vault: str) -> None:
    assert check.check(vault, NOW).findings == ()
    fill(
        vault,
        {
            "knowledge/a.md": a_note(
                "A", "See [b](../rules/b.md#part), [[B]], [[b|that]] and [web](https://x.org/y.md)."
            ),
            "rules/b.md": a_note("B", kind="rule", policy="ask", when={"tool": "Bash"}, project="shop-1"),
            "knowledge/old.md": a_note("Old", status="superseded"),
            "knowledge/new.md": a_note("New", supersedes=["knowledge/old.md"]),
            "feedback/f.md": notes.with_fields(
                a_note("F", kind="feedback", status="unconfirmed"), reviewed="2020-01-01"
            ),
        },
    )
    report = check.check(vault, NOW)
    assert report.findings == ()
    assert (report.ok, report.checked) == (True, 5)


@pytest.mark.slow
@pytest.mark.parametrize("key", notes.REQUIRED)
def test_a_missing_key_is_found(vault: str, key: str) -> None:
    lines = a_note("A").splitlines(keepends=True)
    finding = check_one(vault, "".join(line for line in lines if not line.startswith(f"{key}:")))
    assert (finding.code, finding.what, finding.level) == ("missing-key", f"{key} is missing", "error")
    assert finding.can_fix == (key in ("kind", "status", "created", "edited", "reviewed"))


def test_a_key_without_a_value_is_found_at_its_line(vault: str) -> None:
    finding = check_one(vault, a_note("A").replace("origin: user", "origin:"))
    assert (finding.code, finding.line, finding.what) == ("missing-key", 10, "origin is empty or a list")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "word", "code"),
    [
        ("kind", "rumour", "unknown-kind"),
        ("status", "dead", "unknown-status"),
        ("origin", "moon", "unknown-origin"),
        ("policy", "perhaps", "unknown-policy"),
        ("kind", "rule", "kind-folder"),
        ("created", "yesterday", "bad-date"),
        ("reviewed", "2026-13-01", "bad-date"),
    ],
)
def test_a_word_that_means_nothing_is_found_at_its_line(vault: str, key: str, word: str, code: str) -> None:
    text = notes.with_fields(a_note("A", f"{key}: not this line"), **{key: word})
    finding = check_one(vault, text)
    assert (finding.code, finding.level) == (code, "error")
    assert text.splitlines()[finding.line - 1].startswith(f"{key}: ")
    assert word in finding.what


@pytest.mark.slow
def test_two_active_notes_of_one_project_with_one_name_are_found(vault: str) -> None:
    fill(
        vault,
        {
            "knowledge/a.md": a_note("Same"),
            "rules/b.md": a_note("same", kind="rule"),
            "knowledge/c.md": a_note("Same", project="shop-1"),
            "knowledge/d.md": a_note("Same", status="superseded"),
            "quarantine/e.md": a_note("Same"),
        },
    )
    assert found(vault) == [("quarantine/e.md", "quarantined"), ("rules/b.md", "duplicate-name")]


@pytest.mark.slow
def test_links_that_lead_nowhere_are_found_at_their_lines(vault: str) -> None:
    body = "See [b](b.md).\n\nAnd [[nobody]],\n[up](../../secret.md), [c](rules/c.md)."
    fill(vault, {"knowledge/a.md": a_note("A", body), "rules/c.md": a_note("C", kind="rule")})
    text = a_note("A", body)
    findings = check.check(vault, NOW).findings
    assert {one.code for one in findings} == {"broken-link"}
    said = {text.splitlines()[one.line - 1]: one.what for one in findings if "c.md" not in one.what}
    assert said == {
        "See [b](b.md).": "the link to b.md leads nowhere",
        "And [[nobody]],": 'there is no note "nobody"',
        "[up](../../secret.md), [c](rules/c.md).": "the link to ../../secret.md leaves the vault",
    }
    assert [one.fix for one in findings if "c.md" in one.what] == ["write it as ../rules/c.md"]


@pytest.mark.slow
def test_what_looks_like_a_link_within_code_is_none(vault: str) -> None:
    body = "```sh\n[[ -f x ]] && echo [a](gone.md)\n```\nand `[[ -d y ]]`, `[b](gone.md)`\n~~~\n[[z]]\n"
    fill(vault, {"knowledge/a.md": a_note("A", body)})
    assert found(vault) == []


@pytest.mark.slow
def test_a_link_may_be_escaped_and_may_lead_to_any_markdown_of_the_vault(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A", "[t](../tasks/my%20task/m.md)")})
    assert found(vault) == [("knowledge/a.md", "broken-link")]
    (place / "vault" / "tasks" / "my task").mkdir(parents=True)
    (place / "vault" / "tasks" / "my task" / "m.md").write_text("x")
    assert found(vault) == []


@pytest.mark.slow
def test_a_link_by_name_may_lead_to_another_project_but_superseding_may_not(vault: str) -> None:
    theirs = a_note("Theirs", project="other-1")
    mine = a_note("A", "[[Theirs]]", project="shop-1", supersedes=["Theirs"])
    fill(vault, {"knowledge/t.md": theirs, "knowledge/a.md": mine})
    assert found(vault) == [("knowledge/a.md", "missing")]


@pytest.mark.slow
def test_a_map_out_of_date_or_missing_is_found(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    (place / "vault" / "knowledge" / "b.md").write_text(a_note("B"))
    assert found(vault) == [("BRAIN.md", "map")]
    (place / "vault" / "BRAIN.md").unlink()
    assert found(vault) == [("BRAIN.md", "map")]


def test_a_file_that_the_map_names_and_that_is_gone_is_found(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A"), "knowledge/b.md": a_note("B")})
    (place / "vault" / "knowledge" / "b.md").unlink()
    assert found(vault) == [("BRAIN.md", "map"), ("BRAIN.md", "missing")]


@pytest.mark.slow
def test_the_operators_own_broken_links_and_too_many_words_are_found(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    path = place / "vault" / "BRAIN.md"
    words = "see [x](knowledge/x.md)\n" + "word\n" * 250
    path.write_text(note_facets.refreshed(words, [notes.from_fields("knowledge/a.md", {"name": "A"}, "A in a line")]))
    assert found(vault) == [("BRAIN.md", "broken-link"), ("BRAIN.md", "map-long")]


@pytest.mark.slow
def test_an_unparsable_note_is_reported_with_its_line_and_breaks_nothing(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    (place / "vault" / "knowledge" / "bad.md").write_text("---\nname: x\n  y: [\n---\n")
    (place / "vault" / "knowledge" / "plain.md").write_text("no front matter\n")
    report = check.check(vault, NOW)
    assert [(one.path, one.code) for one in report.findings] == [
        ("knowledge/bad.md", "unparsable"),
        ("knowledge/plain.md", "unparsable"),
    ]
    assert report.findings[0].line > 1
    assert report.checked == 3


@pytest.mark.slow
def test_links_of_the_file_system_are_found_and_not_followed(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    (place / "outside").mkdir()
    (place / "outside" / "x.md").write_text(a_note("X"))
    (place / "vault" / "knowledge" / "x.md").symlink_to(place / "outside" / "x.md")
    (place / "vault" / "knowledge" / "deep").symlink_to(place / "outside")
    assert found(vault) == [("knowledge/deep", "link"), ("knowledge/x.md", "link")]


def test_a_note_folder_that_is_a_link_is_not_followed(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    (place / "outside").mkdir()
    (place / "outside" / "x.md").write_text(a_note("X", kind="rule"))
    (place / "vault" / "rules").symlink_to(place / "outside")
    assert found(vault) == [("rules", "link")]


@pytest.mark.slow
def test_a_supersedes_that_names_nothing_is_found(vault: str) -> None:
    finding = check_one(vault, a_note("A", supersedes=["gone"]))
    assert (finding.code, finding.what) == ("missing", "it supersedes gone, which is not there")


@pytest.mark.slow
def test_supersede_chains_that_loop_are_found_once_and_never_fixed(vault: str) -> None:
    fill(
        vault,
        {
            "knowledge/a.md": a_note("A", supersedes=["C"]),
            "knowledge/b.md": a_note("B", supersedes=["A"]),
            "knowledge/c.md": a_note("C", supersedes=["knowledge/b"]),
            "knowledge/self.md": a_note("Self", supersedes=["Self"]),
        },
    )
    report = check.check(vault, NOW)
    assert [(one.path, one.code) for one in report.findings] == [
        ("knowledge/a.md", "loop"),
        ("knowledge/self.md", "loop"),
    ]
    assert "knowledge/b.md, knowledge/c.md" in report.findings[0].what
    assert not any(one.can_fix for one in report.findings)


@pytest.mark.slow
def test_a_fork_and_a_superseded_note_that_still_counts_are_found(vault: str) -> None:
    fill(
        vault,
        {
            "knowledge/old.md": a_note("Old"),
            "knowledge/a.md": a_note("A", supersedes=["Old"]),
            "knowledge/b.md": a_note("B", supersedes=["old"]),
        },
    )
    assert found(vault) == [("knowledge/old.md", "fork"), ("knowledge/old.md", "still-active")]


@pytest.mark.slow
def test_a_chain_of_three_thousand_is_no_trouble(vault: str) -> None:
    from holdfast.vault.check_links import chains
    from holdfast.vault.check_notes import Names

    listed = [
        notes.from_fields(
            f"knowledge/{nth}.md", {"supersedes": [f"knowledge/{nth - 1}.md"], "status": "superseded"}, ""
        )
        for nth in range(1, 3000)
    ]
    listed.append(notes.from_fields("knowledge/0.md", {"supersedes": ["knowledge/2999.md"]}, ""))
    assert [one.code for one in chains(listed, Names.of(listed), lambda _: "")] == ["loop"]


@pytest.mark.slow
@pytest.mark.parametrize("when", [{"tool": "*"}, {"tool": []}, "Bash", {"pattern": "(a+)+"}])
def test_a_when_that_means_nothing_is_found(vault: str, when: Any) -> None:
    finding = check_one(vault, a_note("A", when=when))
    assert finding.code == "when"
    assert finding.line > 1


@pytest.mark.slow
def test_anchors_that_do_not_hold_in_this_worktree_are_warnings(vault: str, place: Path) -> None:
    root = place / "shop"
    root.mkdir()
    (root / "a.py").write_text("one\ntwo\nthree\n")
    anchor = make(str(root), "a.py:2")
    fill(
        vault,
        {
            "knowledge/a.md": a_note("A", project="shop-1", anchors=[anchor, "gone.py", "a.py"]),
            "knowledge/b.md": a_note("B", project="other-1", anchors=["gone.py"]),
        },
    )
    (root / "a.py").write_text("zero\none\ntwo\n")
    roots = {"shop-1": str(root)}
    report = check.check(vault, NOW, roots)
    assert (only(report).code, only(report).level, only(report).what) == ("anchor", "warning", "gone.py is gone")
    assert report.ok
    (root / "a.py").write_text("zero\none\n2\n")
    assert [one.what for one in check.check(vault, NOW, roots).findings] == ["a.py:2 changed since", "gone.py is gone"]
    assert found(vault) == []


@pytest.mark.slow
def test_an_anchor_that_leaves_the_project_is_an_error(vault: str) -> None:
    finding = check_one(vault, a_note("A", anchors=["../../etc/passwd"]))
    assert (finding.code, finding.level) == ("bad-anchor", "error")


def test_age_and_quarantine_alone_are_warnings(vault: str) -> None:
    fill(
        vault,
        {
            "projects/p.md": notes.with_fields(a_note("P", kind="project"), reviewed="2026-01-01"),
            "quarantine/q.md": a_note("Q", origin="web"),
        },
    )
    report = check.check(vault, NOW)
    assert [(one.code, one.level) for one in report.findings] == [("stale", "warning"), ("quarantined", "warning")]
    assert "2 days too long" in report.findings[0].what
    assert report.ok


@pytest.mark.slow
def test_copies_that_a_conflict_left_are_found_and_not_taken_for_notes(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A"), "knowledge/a.theirs-laptop.md": a_note("A")})
    (place / "vault" / "lineage" / "shop-1").mkdir(parents=True)
    (place / "vault" / "lineage" / "shop-1" / "x.theirs-1.md").write_text("not even front matter")
    (place / "vault" / "projects.theirs-1a2b3c4.toml").write_text("")
    assert found(vault) == [
        ("knowledge/a.theirs-laptop.md", "conflict"),
        ("lineage/shop-1/x.theirs-1.md", "conflict"),
        ("projects.theirs-1a2b3c4.toml", "conflict"),
    ]
    assert "both sides changed knowledge/a.md;" in check.check(vault, NOW).findings[0].what


def test_a_handoff_that_does_not_parse_is_found_in_its_project(vault: str, place: Path) -> None:
    folder = place / "vault" / "lineage" / "shop-1"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text("---\ndate: 2026-01-01\n---\nx\n")
    (folder / "bad.md").write_text("---\na: 1\na: 2\n---\nx\n")
    (folder / "latin.md").write_bytes(b"---\na: caf\xe9\n---\n")
    report = check.check(vault, NOW)
    assert [(one.path, one.line, one.code) for one in report.findings] == [
        ("lineage/shop-1/bad.md", 3, "lineage"),
        ("lineage/shop-1/latin.md", 1, "lineage"),
    ]
    assert len(report.of("shop-1").findings) == 2
    assert (report.of("shop-2").findings, report.of("shop-2").elsewhere) == ((), 2)


@pytest.mark.slow
def test_a_change_cut_short_is_found_unless_its_writer_is_alive(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    with writing(vault, NOW):
        (place / "vault" / ".state" / "writing" / "journal").write_text("{}")
        assert found(vault) == []
    assert found(vault) == [(".state/writing/journal", "unfinished")]


@pytest.mark.slow
def test_fix_adds_what_date_and_folder_say_and_keeps_every_other_byte(vault: str, place: Path) -> None:
    fill(vault, {"knowledge/a.md": a_note("A")})
    written = "---\n# by hand\nname:   'Mine'\norigin: user\ndescription: x\n---\n\nText.\n"
    path = place / "vault" / "rules" / "mine.md"
    path.parent.mkdir()
    path.write_text(written)
    os.utime(path, (NOW - 86400, NOW - 86400))
    report = check.check_and_fix(vault, NOW, None)
    assert report.findings == ()
    assert {one.code for one in report.fixed} == {"missing-key", "map"}
    added = "kind: rule\nstatus: active\ncreated: 2026-02-01\nedited: 2026-02-01\nreviewed: 2026-02-01\n"
    assert path.read_text() == written.replace("x\n---", f"x\n{added}---")
    assert git(vault, "log", "-n2", "--format=%s").splitlines() == [
        "check: add missing keys (1)",
        "edited by hand: rules/mine.md",
    ]


@pytest.mark.slow
def test_fix_marks_what_an_active_note_supersedes_as_one_commit(vault: str) -> None:
    fill(vault, {"knowledge/old.md": a_note("Old"), "knowledge/a.md": a_note("A", supersedes=["Old"])})
    report = check.check_and_fix(vault, NOW, None)
    assert report.findings == ()
    old = notes.read(vault, "knowledge/old.md")
    assert isinstance(old, notes.Note)
    assert old.status == "superseded"
    assert git(vault, "show", "--format=%s", "--name-only", "HEAD").split("\n") == [
        "check: mark as superseded (1)",
        "",
        "BRAIN.md",
        "knowledge/old.md",
        "",
    ]


@pytest.mark.slow
def test_fix_leaves_alone_what_is_not_safe(vault: str, place: Path) -> None:
    bad = a_note("A", "[[nobody]]", when={"tool": "*"}).replace("origin: user\n", "")
    fill(vault, {"knowledge/a.md": bad})
    before = git(vault, "rev-parse", "HEAD")
    report = check.check_and_fix(vault, NOW, None)
    assert {one.code for one in report.findings} == {"broken-link", "when", "missing-key"}
    assert report.fixed == ()
    assert (place / "vault" / "knowledge" / "a.md").read_text() == bad
    assert git(vault, "rev-parse", "HEAD") == before


@pytest.mark.slow
def test_fix_leaves_other_projects_alone(vault: str, place: Path) -> None:
    lacking = a_note("T", project="other-1").replace("status: active\n", "")
    fill(vault, {"knowledge/t.md": lacking})
    check.check_and_fix(vault, NOW, "shop-1")
    assert (place / "vault" / "knowledge" / "t.md").read_text() == lacking
    check.check_and_fix(vault, NOW, None)
    assert "status: active" in (place / "vault" / "knowledge" / "t.md").read_text()


@pytest.mark.slow
def test_a_note_that_cannot_be_changed_in_place_keeps_its_finding(vault: str) -> None:
    fill(vault, {"knowledge/a.md": "---\n{name: A, origin: user, description: x}\n---\nText.\n"})
    report = check.check_and_fix(vault, NOW, None)
    assert {one.code for one in report.findings} == {"missing-key"}
    assert report.fixed == ()


@pytest.mark.slow
def test_the_command_says_what_is_wrong_and_its_status_tells_scripts(terminal: Terminal, fresh: Home) -> None:
    assert (terminal("check").status, terminal("check").out) == (0, "0 notes checked: all is well.\n")
    day = time.strftime("%Y-%m-%d", time.gmtime())
    good = a_note("A").replace("2026-02-01", day)
    fill(
        str(fresh.vault),
        {"knowledge/a.md": good, "knowledge/o.md": good.replace("global", "other-1").replace("kind: kn", "kind: n")},
    )
    assert terminal("check").out == "2 notes checked: all is well.\n1 finding more in other projects (--all).\n"
    (fresh.vault / "knowledge" / "b.md").write_text(good.replace("name: A", "name: B").replace("status: active\n", ""))
    done = terminal("check")
    assert done.status == 1
    assert done.out.splitlines()[:4] == [
        "warning  BRAIN.md:5: the map is out of date [map]",
        "         `holdfast check --fix` writes it anew",
        "error    knowledge/b.md:1: status is missing [missing-key]",
        "         `holdfast check --fix` adds it",
    ]
    report = json.loads(terminal("check", "--json").out)
    assert (report["ok"], report["checked"], report["other_projects"]) == (False, 3, 1)
    assert report["findings"][1] == {
        "path": "knowledge/b.md",
        "line": 1,
        "code": "missing-key",
        "level": "error",
        "what": "status is missing",
        "fix": "`holdfast check --fix` adds it",
        "can_fix": True,
    }
    fixed = terminal("check", "--fix")
    assert fixed.status == 0
    assert fixed.out.splitlines()[:2] == [
        "fixed    BRAIN.md: the map is out of date",
        "fixed    knowledge/b.md: status is missing",
    ]
    assert terminal("check", "--all").status == 1


@pytest.mark.slow
def test_anchors_are_looked_for_in_the_folder_that_the_command_runs_in(terminal: Terminal, fresh: Home) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    text = a_note("A", project=fresh.project_id(), anchors=["a.py"]).replace("2026-02-01", day)
    fill(str(fresh.vault), {"knowledge/a.md": text})
    done = terminal("check")
    assert done.status == 0
    assert "a.py is gone [anchor]" in done.out
    (fresh.project / "a.py").write_text("x")
    assert terminal("check").out == "1 note checked: all is well.\n"


@pytest.mark.slow
def test_progress_hears_of_every_note_that_had_to_be_read(vault: str) -> None:
    fill(vault, {f"knowledge/{nth}.md": a_note(f"N{nth}") for nth in range(20)})
    if os.path.exists(f"{vault}/.state/notes.index"):
        os.unlink(f"{vault}/.state/notes.index")
    heard: list[int] = []
    check.check(vault, NOW, progress=heard.append)
    assert sum(heard) == 20
