"""A repository whose every setting, attribute, hook, submodule and remote leaves a file behind if it is obeyed.

Each of the ways has a name; the file that shows that it was obeyed is called after it. Ways that keep git from working
at all would hide the others, so those are built one at a time.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .desk import Desk

SKILL = "---\nname: render\ndescription: renders plans\n---\n\n# Render\n\nOpen the file, then render it.\n"
HOOKS = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"),
    *("commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"),
    *("proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc"),
    *("post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change"),
)
# A line of settings for each way; {run} is a command that leaves the file {name}.
SETTINGS = {
    "core.fsmonitor": "[core]\n\tfsmonitor = {run}\n",
    "core.hooksPath": "[core]\n\thooksPath = {hooks}\n",
    "core.sshCommand": "[core]\n\tsshCommand = {run}\n",
    "core.gitProxy": "[core]\n\tgitProxy = {run}\n",
    "core.askPass": "[core]\n\taskPass = {run}\n",
    "core.editor": "[core]\n\teditor = {run}\n",
    "core.pager": "[core]\n\tpager = {run}\n",
    "core.attributesFile": '[core]\n\tattributesFile = {attributes}\n[filter "far"]\n\tclean = "{run}"\n',
    "core.alternateRefsCommand": "[core]\n\talternateRefsCommand = {run}\n",
    "sequence.editor": "[sequence]\n\teditor = {run}\n",
    "filter.clean": '[filter "evil"]\n\tclean = "{run}; cat"\n\trequired = true\n',
    "filter.smudge": '[filter "evil"]\n\tsmudge = "{run}; cat"\n',
    "filter.process": '[filter "long"]\n\tprocess = {run}\n',
    "diff.textconv": '[diff "evil"]\n\ttextconv = {run}\n',
    "diff.command": '[diff "evil"]\n\tcommand = {run}\n',
    "diff.external": "[diff]\n\texternal = {run}\n",
    "merge.driver": '[merge "evil"]\n\tdriver = {run}\n',
    "pager": "[pager]\n\tstatus = {run}\n\tlog = {run}\n\tgrep = {run}\n\trev-list = {run}\n",
    "alias": '[alias]\n\tstatus = "!{run}"\n\trev-list = "!{run}"\n\tls-files = "!{run}"\n\tgrep = "!{run}"\n',
    "credential.helper": '[credential]\n\thelper = "!{run}"\n',
    "gpg.program": "[gpg]\n\tprogram = {run}\n[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n",
    "gpg.ssh.program": '[gpg "ssh"]\n\tprogram = {run}\n[gpg]\n\tformat = ssh\n',
    "uploadpack.packObjectsHook": "[uploadpack]\n\tpackObjectsHook = {run}\n",
    "trailer.command": '[trailer "sign"]\n\tcommand = {run}\n\tcmd = {run}\n',
    "hook.command": '[hook "evil"]\n\tevent = pre-commit\n\tcommand = {run}\n',
    "submodule.update": '[submodule "part"]\n\tupdate = "!{run}"\n\tactive = true\n',
    "remote.ext": '[protocol "ext"]\n\tallow = always\n[remote "evil"]\n\turl = "ext::{run}"\n',
    "remote.vcs": '[remote "vcs"]\n\turl = x\n\tvcs = evil\n\tuploadpack = {run}\n\treceivepack = {run}\n',
    "url.insteadOf": '[url "ext::{run} #"]\n\tinsteadOf = https://example.org/\n',
    "include.path": "[include]\n\tpath = {included}\n",
    "includeIf.gitdir": '[includeIf "gitdir:/"]\n\tpath = {included}\n',
    "core.worktree": "[core]\n\tworktree = {elsewhere}\n",
}
ATTRIBUTES = "* filter=evil diff=evil merge=evil\n*.long filter=long\nSKILL.md filter=evil diff=evil\n"


def build(desk: Desk, ways: tuple[str, ...], canaries: Path) -> None:
    """The desk's project as a repository that was cloned from somebody: commits, a skill, changed files, and the ways
    in. Everything that git must do to build it is done before they are there."""
    canaries.mkdir(parents=True, exist_ok=True)
    _fill(desk)
    outside = desk.folder / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "attributes").write_text("* filter=far\n", encoding="utf-8")
    (outside / "elsewhere").mkdir(exist_ok=True)
    if "submodule" in ways:
        _submodule(desk, canaries, outside)
    if "promisor" in ways:
        _promisor(desk, canaries, outside)
    git = desk.project / ".git"
    for way in ways:
        given = {
            "run": str(_program(outside, way, canaries)),
            "hooks": str(_hooks(outside / "hooks", way, canaries)),
            "attributes": str(outside / "attributes"),
            "elsewhere": str(outside / "elsewhere"),
            "included": str(outside / f"included-{way}"),
        }
        (outside / f"included-{way}").write_text(SETTINGS["core.fsmonitor"].format(**given), encoding="utf-8")
        if way in SETTINGS:
            with open(git / "config", "a", encoding="utf-8") as config:
                config.write(SETTINGS[way].format(**given))
    if "hooks" in ways:
        _hooks(git / "hooks", "hooks", canaries)
    if "core.alternateRefsCommand" in ways:
        (git / "objects" / "info").mkdir(exist_ok=True)
        (git / "objects" / "info" / "alternates").write_text(f"{outside}/objects\n", encoding="utf-8")
    for name in ("src/pay.py", ".claude/skills/render/SKILL.md", ".claude/skills/draw/SKILL.md"):
        os.utime(desk.project / name, (1_700_000_000, 1_700_000_000))  # so that git has to look into them


def _fill(desk: Desk) -> None:
    desk.git("init", "--quiet", "--initial-branch=main")
    for name, text in {
        "src/pay.py": "LIMIT = 30\n",
        "README.md": "# Shop\n",
        "data.long": "one\n",
        ".claude/skills/render/SKILL.md": SKILL,
        ".claude/skills/draw/SKILL.md": SKILL.replace("render", "draw"),
        ".gitattributes": ATTRIBUTES,
        ".gitmodules": '[submodule "part"]\n\tpath = part\n\turl = ./part\n',
    }.items():
        path = desk.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "--message", "a shop")
    (desk.project / "new.py").write_text("NEW = 1\n", encoding="utf-8")


def _program(outside: Path, way: str, canaries: Path) -> Path:
    path = outside / f"run-{way}"
    path.write_text(f"#!/bin/sh\n: > '{canaries}/{way}'\ncat\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def _hooks(folder: Path, way: str, canaries: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in HOOKS:
        (folder / name).write_text(f"#!/bin/sh\n: > '{canaries}/{way}-{name}'\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def _submodule(desk: Desk, canaries: Path, outside: Path) -> None:
    """A repository within the repository, which git enters for a status."""
    inner = desk.project / "part"
    inner.mkdir()
    desk.git("init", "--quiet", cwd=inner)
    (inner / "x").write_text("x\n", encoding="utf-8")
    desk.git("add", "--all", cwd=inner)
    desk.git("commit", "--quiet", "--message", "x", cwd=inner)
    desk.git("update-index", "--add", "--cacheinfo", f"160000,{desk.git('rev-parse', 'HEAD', cwd=inner)},part")
    (inner / "x").write_text("y\n", encoding="utf-8")
    with open(inner / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(SETTINGS["core.fsmonitor"].format(run=_program(outside, "submodule", canaries)))


def _promisor(desk: Desk, canaries: Path, outside: Path) -> None:
    """An object is missing, and the remote that promised it is a command."""
    run = _program(outside, "promisor", canaries)
    blob = desk.git("rev-parse", "HEAD:src/pay.py")
    (desk.project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    tree = desk.git("rev-parse", "HEAD:src")
    (desk.project / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with open(desk.project / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(
            f'[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\turl = "ext::{run}"\n\tpromisor = true\n'
            "\tpartialclonefilter = blob:none\n[core]\n\trepositoryformatversion = 1\n[extensions]\n"
            "\tpartialClone = origin\n"
        )
