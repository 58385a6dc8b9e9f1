"""Git in other people's repositories, and in a vault that somebody else wrote to: nothing that they name is run.

Each way leaves a file behind if it is obeyed (hostile_repository). Every command of ours that looks at a project is run
in such a repository as a process of its own; the vault's own repository is steered key by key. The control shows that
git itself obeys: a canary that never sings proves nothing.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture import git_process
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.improve import skills
from holdfast.close.verify import evidence
from holdfast.errors import HoldfastError
from holdfast.hosts import registration
from holdfast.install import settings_files
from holdfast.vault import anchors, git_settings, history, sync
from holdfast.vault.transaction import writing

from . import support
from .desk import Desk
from .hostile_repository import SETTINGS, build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.attacks

TOPIC = "hostile git settings"
ALONE = ("promisor", "submodule", "hooks", "core.worktree", "core.alternateRefsCommand", "include.path")
TOGETHER = tuple(way for way in (*SETTINGS, "hooks", "submodule") if way not in ("core.worktree", "core.hooksPath"))
HANDOFF = """# Handoff
## Goals
- make the shop pay
## Done
- changed `LIMIT` in src/pay.py in commit {commit}, and `new.py`
- all of checkout_total works now
## Next steps
- look at 1234567 and src/pay.py:1
"""


@pytest.fixture
def canaries(tmp_path: Path) -> Path:
    return tmp_path / "canaries"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def sung(canaries: Path) -> list[str]:
    return sorted(path.name for path in canaries.iterdir())


def commands(desk: Desk) -> list[Callable[[], object]]:
    """Every command that may look at the project or its repository, in an order that makes a life of them."""
    call, hook = desk.holdfast, desk.hook
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "git status"}}
    transcript = desk.folder / "transcript.jsonl"
    line = {"type": "user", "message": {"role": "user", "content": "change src/pay.py"}, "uuid": "1"}
    transcript.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return [
        lambda: call("init", "--project", "--dry-run"),
        lambda: call("init", "--project", "--yes"),
        lambda: hook("SessionStart", source="startup", transcript_path=str(transcript)),
        lambda: hook("UserPromptSubmit", prompt="remember: the limit is 30 (src/pay.py:1)"),
        lambda: hook("PreToolUse", **given),
        lambda: hook("PostToolUse", **given, tool_response={"stdout": "[main abc1234] pay\n 1 file changed"}),
        lambda: call("flag", "the limit is 30", "--evidence", "src/pay.py:1"),
        lambda: call("remember", "carts are kept for a day", "--evidence", "src/pay.py:1"),
        lambda: call("snag", "the render hung", "--better", "one frame first", "--skill", "render"),
        lambda: call("handoff", stdin=HANDOFF.format(commit=desk.git_head).encode()),
        lambda: hook("Stop"),
        lambda: hook("SessionEnd", reason="exit"),
        lambda: call("close", "--all"),
        lambda: [call("review", "--accept", one) for one in waiting(desk)],
        lambda: (desk.state / "config.toml").write_text('[improve]\nskills = "apply"\n', encoding="utf-8"),
        lambda: call("snag", "the drawing hung", "--better", "two frames first", "--skill", "draw"),
        lambda: call("close", "--all"),
        lambda: call("boot"),
        lambda: call("check"),
        lambda: call("doctor"),
        lambda: call("audit"),
        lambda: call("task", "start", "port", "port it all"),
        lambda: call("task", "run", "port", "--", "cat", "{memory}"),
        lambda: call("import"),
        lambda: call("trust"),
        lambda: call("recall", "limit"),
        lambda: call("sync", "--remote", str(desk.project)),
        lambda: call("uninstall", "--project", "--yes"),
    ]


def waiting(desk: Desk) -> list[str]:
    found = json.loads(desk.holdfast("review", "--json").out or "{}")
    return [str(one["id"]) for kind in found.values() if isinstance(kind, list) for one in kind if "id" in one]


def test_the_canaries_sing_where_git_is_started_without_care(desk: Desk, canaries: Path) -> None:
    build(desk, TOGETHER, canaries)
    for words in (["status"], ["add", "--all"], ["diff"]):
        subprocess.run(["git", *words], cwd=desk.project, env=desk.env, capture_output=True, check=False)
    heard = sung(canaries)
    assert {"core.fsmonitor", "submodule"} & set(heard)
    assert {"filter.clean", "diff.textconv", "diff.command", "diff.external"} & set(heard)


def test_no_command_runs_anything_of_a_hostile_repository(desk: Desk, canaries: Path) -> None:
    build(desk, TOGETHER, canaries)
    (desk.home / ".claude").mkdir()
    (desk.home / ".claude" / "settings.json").write_text("{}", encoding="utf-8")
    tried = commands(desk)
    for one in tried:
        done = one()
        assert getattr(done, "ended", True), done
    support.count(TOPIC, len(tried) * len(TOGETHER), len(sung(canaries)))
    assert sung(canaries) == []
    for name, learned in (("render", "one frame first"), ("draw", "two frames first")):
        text = (desk.project / ".claude/skills" / name / "SKILL.md").read_text(encoding="utf-8")
        assert learned in text, "accepted by the user, or applied by the close: git was asked whether the file is clean"


@pytest.mark.parametrize("way", support.sample([*ALONE, *(way for way in SETTINGS if way not in ALONE)], 8))
def test_no_question_to_git_obeys_a_single_setting(desk: Desk, canaries: Path, way: str) -> None:
    build(desk, (way,), canaries)
    root = str(desk.project)
    skill = skills.look(f"{root}/.claude/skills/render/SKILL.md", root)
    assert skill
    asked: list[Callable[[], object]] = [
        lambda: skills.why_not(skill),
        lambda: anchors.head(root),
        lambda: settings_files.exclusion(root, [f"{root}/.claude/settings.local.json"]),
        lambda: registration.root(root),
        lambda: evidence.has_commit(root, desk.git_head[:10]),
        lambda: evidence.occurs(root, "LIMIT"),
        lambda: evidence.of_repository(root),
        lambda: skills.merged("a\nb\n", "a\nb\nc\n", "0\na\nb\n"),
        lambda: git_process.ask_all(root, ("diff", "HEAD"), ("status", "--porcelain")),
        lambda: git_process.ask(root, "status", "--porcelain"),
        lambda: git_process.ask(root, "diff", "HEAD"),
        lambda: git_process.ask(root, "log", "-p", "--all"),
        lambda: git_process.ask(root, "rev-list", "--objects", "--all", "HEAD"),
        lambda: git_process.ask(root, "grep", "--textconv", "LIMIT"),
    ]
    for one in asked:
        one()
    support.count(TOPIC, len(asked), len(sung(canaries)))
    assert sung(canaries) == []


def test_the_answers_are_those_of_a_repository_without_the_settings(desk: Desk, canaries: Path) -> None:
    build(desk, ("core.fsmonitor", "filter.clean", "hooks"), canaries)
    root = str(desk.project)
    assert anchors.head(root) == desk.git_head[:10]
    assert evidence.has_commit(root, desk.git_head[:12])
    assert evidence.occurs(root, "LIMIT")
    assert not evidence.occurs(root, "NOWHERE")
    history, names = evidence.of_repository(root)
    assert names >= {"src/pay.py", "README.md", "new.py"}
    assert [one.subject for one in history] == ["a shop"]
    skill = skills.look(f"{root}/.claude/skills/render/SKILL.md", root)
    assert skill
    assert skills.why_not(skill) == ""
    (desk.project / ".claude/skills/render/SKILL.md").write_text("other\n", encoding="utf-8")
    assert skills.why_not(skill) == "it has changes that are not committed"


ENVIRONMENTS = support.sample(
    [
        {"GIT_DIR": "{evil}"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{run}"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{run}'"},
        {"GIT_CONFIG_GLOBAL": "{config}", "GIT_CONFIG_SYSTEM": "{config}"},
        {"GIT_EXTERNAL_DIFF": "{run}", "GIT_PAGER": "{run}", "GIT_EDITOR": "{run}", "GIT_ASKPASS": "{run}"},
        {"GIT_SSH_COMMAND": "{run}", "GIT_SSH": "{run}", "GIT_PROXY_COMMAND": "{run}"},
        {"GIT_TEMPLATE_DIR": "{hooks}", "GIT_EXEC_PATH": "{bin}"},
        {"PATH": ".:{path}"},
    ],
    4,
)


@pytest.mark.parametrize("more", ENVIRONMENTS, ids=lambda more: next(iter(more)))
def test_the_environment_that_a_project_gives_its_agents_runs_nothing(
    desk: Desk, canaries: Path, more: dict[str, str]
) -> None:
    canaries.mkdir()
    build(desk, (), canaries)
    run = desk.folder / "run"
    run.write_text(f"#!/bin/sh\n: > '{canaries}/environment'\nexit 1\n", encoding="utf-8")
    run.chmod(0o755)
    (desk.project / "git").write_bytes(run.read_bytes())
    (desk.project / "git").chmod(0o755)
    config = desk.folder / "config"
    config.write_text(SETTINGS["core.fsmonitor"].format(run=run), encoding="utf-8")
    hooks = desk.folder / "hooks"
    (hooks / "hooks").mkdir(parents=True)
    (hooks / "hooks" / "post-commit").write_bytes(run.read_bytes())
    (hooks / "hooks" / "post-commit").chmod(0o755)
    bin_folder = desk.folder / "bin"
    bin_folder.mkdir()
    for name in ("git", "git-remote-https", "git-status"):
        (bin_folder / name).write_bytes(run.read_bytes())
        (bin_folder / name).chmod(0o755)
    given = {"evil": desk.project / ".git", "run": run, "config": config, "hooks": hooks, "bin": bin_folder}
    desk.more = {name: text.format(**given, path=desk.env["PATH"]) for name, text in more.items()}
    (desk.home / ".claude").mkdir()
    tried = [
        desk.holdfast("init", "--project", "--dry-run"),
        desk.holdfast("remember", "carts are kept for a day"),
    ]
    support.count("hostile environment of git", len(tried), len(sung(canaries)))
    assert sung(canaries) == []
    assert "carts are kept" in "".join(path.read_text() for path in desk.vault.glob("*/*.md"))


@pytest.mark.parametrize("way", support.sample([way for way in SETTINGS if way != "core.worktree"], 12))
def test_a_line_in_the_vaults_own_settings_runs_nothing(desk: Desk, canaries: Path, way: str) -> None:
    """Refused in a sentence or overruled, for a writer, a reader and a sync; what was there stays."""
    canaries.mkdir()
    vault, now = str(desk.vault), 1_790_000_000.0
    with writing(vault, now) as writer:
        writer.commit(
            "remember", {"knowledge/carts.md": "---\nkind: knowledge\n---\ncarts\n"}, cause="remember", by=BY_UPKEEP
        )
    run = desk.folder / "run"
    run.write_text(f"#!/bin/sh\n: > '{canaries}/{way}'\nexit 1\n", encoding="utf-8")
    run.chmod(0o755)
    (desk.folder / "more").write_text(SETTINGS["core.fsmonitor"].format(run=run), encoding="utf-8")
    (desk.folder / "attributes").write_text("* filter=far\n", encoding="utf-8")
    given = {
        "run": run,
        "hooks": desk.folder,
        "attributes": desk.folder / "attributes",
        "included": desk.folder / "more",
    }
    with open(desk.vault / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(SETTINGS[way].format(**given))
    (desk.vault / ".gitattributes").write_text(
        "* filter=evil diff=evil merge=evil\n*.x filter=long\n", encoding="utf-8"
    )
    (desk.vault / "knowledge" / "hand.md").write_text("---\nkind: knowledge\n---\nby hand\n", encoding="utf-8")
    desk.git("init", "--quiet", "--bare", str(desk.folder / "bare.git"))
    said = []
    for one in (
        lambda: write(vault, now),
        lambda: history.changes(vault),
        lambda: sync.sync(vault, now, str(desk.folder / "bare.git")),
        lambda: sync.sync(vault, now, "evil" if way == "remote.ext" else "https://nowhere.invalid/x"),
    ):
        try:
            one()
        except HoldfastError as error:
            said.append(str(error))
    support.count("hostile settings of the vault", 4, len(sung(canaries)))
    assert sung(canaries) == []
    assert all("can run a program" in one for one in said[:-1]), said
    assert (desk.vault / "knowledge" / "carts.md").exists()


def write(vault: str, now: float) -> None:
    with writing(vault, now) as writer:
        writer.commit(
            "remember", {"knowledge/more.md": "---\nkind: knowledge\n---\nmore\n"}, cause="remember", by=BY_UPKEEP
        )


def test_hooks_and_settings_of_a_remote_in_a_folder_of_this_machine_are_not_run(desk: Desk, canaries: Path) -> None:
    build(desk, ("core.fsmonitor", "core.alternateRefsCommand", "hooks", "filter.smudge"), canaries)
    with open(desk.project / ".git" / "config", "a", encoding="utf-8") as config:
        config.write("[receive]\n\tdenyCurrentBranch = updateInstead\n")
    desk.holdfast("remember", "carts are kept for a day")
    desk.git("checkout", "--quiet", "--orphan", "empty")
    canaries_before = sung(canaries)
    for path in canaries.iterdir():
        path.unlink()
    assert canaries_before, "the user's own git obeys"
    desk.git("branch", "-D", "main", "--quiet")
    for path in canaries.iterdir():
        path.unlink()
    desk.holdfast("sync", "--remote", str(desk.project))
    support.count("hostile remotes", 1, len(sung(canaries)))
    assert sung(canaries) == []


@pytest.mark.parametrize(
    ("key", "local", "network"),
    [
        ("remote.origin.url", False, False),
        ("branch.main.remote", False, False),
        ("user.name", False, False),
        ("core.sshcommand", False, True),
        ("credential.helper", False, True),
        ("credential.https://x.helper", False, True),
        ("remote.origin.uploadpack", False, True),
        ("remote.origin.proxy", False, True),
        ("url.ext::sh.insteadof", False, True),
        ("filter.x.clean", True, True),
        ("Filter.x.process", True, True),
        ("diff.external", True, True),
        ("diff.x.textconv", True, True),
        ("diff.renames", False, False),
        ("merge.conflictstyle", False, False),
        ("merge.x.driver", True, True),
        ("include.path", True, True),
        ("includeif.gitdir:/.path", True, True),
        ("hook.x.command", True, True),
        ("future.runcommand", True, True),
    ],
)
def test_a_setting_steers_always_before_a_remote_or_never(key: str, *, local: bool, network: bool) -> None:
    assert git_settings.is_steering(key, network=False) is local
    assert git_settings.is_steering(key, network=True) is network
