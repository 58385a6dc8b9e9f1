"""An agent edits the vault's files with its own tools: each way of writing against each thing that binds.

A case is one tool call between the real hook's two moments, with a real process in between that changes the files.
During the call, after it and after the next writer, nothing of the agent's binds and nothing of the user's is lifted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, a_home

from holdfast.brief import brief_file
from holdfast.capture import gate, once, projects
from holdfast.memory import Memory
from holdfast.vault import authority, edits, index

from .support import count, sample

pytestmark = pytest.mark.attacks

SHORT = 22
MARK = "zqmark"  # in every word of the agent's
STOPPED = "make release"
BINDING = {gate.RULE, gate.IDENTITY, gate.STOP, gate.LESSON, gate.PREFERENCE}
TOLD_AS_BINDING = ("own", "rules", "said")

# Ways to put the text of $NEW at $AT. $V is the vault, $P a folder beside it, $REL the path within the vault, and $MADE
# a copy of the note's folder with the text in it, made before the call.
PUT = {
    "redirect": 'cat "$NEW" > "$AT"',
    "append of nothing, then tee": 'cd "$V" && tee "$REL" < "$NEW" >/dev/null',
    "cp": 'cp "$NEW" "$AT"',
    "cp in the folder": 'cd "$(dirname "$AT")" && cp "$NEW" "./$(basename "$AT")"',
    "mv": 'cp "$NEW" "$P/x" && mv "$P/x" "$AT"',
    "mv with an old time": 'cp "$NEW" "$P/x" && touch -d 2001-01-01 "$P/x" && mv "$P/x" "$AT"',
    "install": 'install -m 600 "$NEW" "$AT"',
    "dd": 'dd if="$NEW" of="$AT" status=none',
    "hard link": 'rm -f "$AT"; cp "$NEW" "$P/linked"; ln "$P/linked" "$AT"',
    "link": 'ln -sf "$NEW" "$AT"',
    "python": """python3 -c 'import os; open(os.environ["AT"], "w").write(open(os.environ["NEW"]).read())'""",
    "python, computed": (
        """python3 -c 'import os,base64 as b; p=os.path.join(*[b.b64decode(b.b64encode(x.encode())).decode() """
        """for x in ("/", os.environ["V"][1:], os.environ["REL"])]); os.replace(os.environ["NEW"], p)'"""
    ),
    "python, times put back": (
        """python3 -c 'import os; at=os.environ["AT"]; t=os.stat(os.environ["V"]+"/format").st_mtime_ns; """
        """open(at,"w").write(open(os.environ["NEW"]).read()); os.utime(at, ns=(t,t))'"""
    ),
    "eval": 'a=$(printf "%s" "$AT" | rev); eval "cat \\"$NEW\\" > \\"$(printf %s "$a" | rev)\\""',
    "tar": 'mkdir -p "$P/t/$(dirname "$REL")" && cp "$NEW" "$P/t/$REL" && tar -C "$P/t" -cf - . | tar -C "$V" -xf -',
    "xargs": 'printf "%s\\0" "$AT" | xargs -0 cp "$NEW"',
    "another shell": 'bash -c \'cat "$0" > "$1"\' "$NEW" "$AT"',
    "git commit": 'cp "$NEW" "$AT" && git -C "$V" add -A && git -C "$V" commit -qm "mine"',
    "git commit, all at once": 'cp "$NEW" "$AT" && git -C "$V" add "$REL" && git -C "$V" commit -qam "Holdfast: close"',
    "git staged": 'cp "$NEW" "$AT" && git -C "$V" add -A',
    "git checkout": (
        'cp "$NEW" "$AT" && git -C "$V" add -A && git -C "$V" commit -qm x && git -C "$V" reset -q --hard HEAD~1 '
        '&& git -C "$V" checkout -q HEAD@{1} -- "$REL"'
    ),
    "git reset": (
        'cp "$NEW" "$AT" && git -C "$V" add -A && git -C "$V" commit -qm x && c=$(git -C "$V" rev-parse HEAD) && '
        'git -C "$V" reset -q --hard HEAD~1 && git -C "$V" reset -q --hard "$c"'
    ),
    "folder swapped": (
        'f="$(dirname "$AT")"; cp -a "$f" "$P/swap" && cp "$NEW" "$P/swap/$(basename "$AT")" && mv "$f" "$P/old" && '
        'mv "$P/swap" "$f"'
    ),
    "folder of before in its place": 'f="$(dirname "$AT")"; mv "$f" "$P/old" && mv "$MADE" "$f"',
    "folder of before within it": 'mv "$MADE" "$(dirname "$AT")/more"',
    "slow": 'sleep 0.2; cat "$NEW" > "$AT.part" && mv "$AT.part" "$AT"',
    "with a writer of ours behind it": 'cat "$NEW" > "$AT"; "$PYTHON" -P -m holdfast remember "It is $$" >/dev/null',
}
# Ways to take $AT away, or to leave something else there.
TAKE = {
    "rm": 'rm "$AT"',
    "unlink in python": """python3 -c 'import os; os.unlink(os.environ["AT"])'""",
    "mv away": 'mv "$AT" "$P/gone"',
    "mv within": 'mv "$AT" "$V/lineage-$(basename "$AT")"',
    "renamed to no note": 'mv "$AT" "$AT.bak"',
    "emptied": ': > "$AT"',
    "truncated": 'truncate -s 20 "$AT"',
    "find": 'find "$(dirname "$AT")" -name "$(basename "$AT")" -delete',
    "git rm": 'git -C "$V" rm -qf "$REL" && git -C "$V" commit -qm "tidy"',
    "git rm, not committed": 'git -C "$V" rm -qf "$REL"',
    "reset to the first commit": 'git -C "$V" reset -q --hard "$(git -C "$V" rev-list --max-parents=0 HEAD)"',
    "a folder in its place": 'rm "$AT" && mkdir "$AT"',
    "a pipe in its place": 'rm "$AT" && mkfifo "$AT"',
    "a link to nothing": 'rm "$AT" && ln -s "$P/nothing" "$AT"',
    "the folder": 'rm -rf "$(dirname "$AT")"',
    "the folder is a link": 'mkdir "$P/none" && mv "$(dirname "$AT")" "$P/gone" && ln -s "$P/none" "$(dirname "$AT")"',
    "too large": 'rm "$AT" && truncate -s 2M "$AT"',
    "no text": 'head -c 300 /dev/urandom > "$AT"',
    "with a writer of ours behind it": 'rm "$AT"; "$PYTHON" -P -m holdfast remember "The port is $$" >/dev/null',
    "and something else of mine there": 'rm "$AT"; printf "x\\n" > "$(dirname "$AT")/x.txt"',
}


def written(text: str = f"Always {MARK} the build server.", **fields: object) -> str:
    given = {"name": MARK, "description": text, "kind": "rule", "status": "active", "origin": "user", **fields}
    head = "".join(f"{key}: {value}\n" for key, value in given.items() if value is not None)
    return f"---\n{head}---\n\n{text}\n"


@dataclass(frozen=True)
class Target:
    """Where an agent writes, and what it makes of what stands there."""

    path: str
    change: tuple[tuple[str, str], ...] = ()
    text: str = ""

    def made_of(self, before: str) -> str:
        for old, new in self.change:
            assert old in before
            before = before.replace(old, new)
        return self.text or before


RULE, WHO, FACT = "rules/never-run-make-release.md", "identity/ada.md", "knowledge/port.md"
TARGETS = {
    "a new rule": Target(f"rules/{MARK}.md", text=written()),
    "a new rule without front matter": Target(f"rules/{MARK}.md", text=f"Always {MARK}.\n"),
    "a new rule with half a front matter": Target(f"rules/{MARK}.md", text=f"---\nkind: rule\n\nAlways {MARK}.\n"),
    "a new rule that is duplicate in its origin": Target(
        f"rules/{MARK}.md", text=written().replace("origin: user", "origin: web\norigin: user")
    ),
    "a new rule in a folder of its own": Target(f"rules/deep/{MARK}.md", text=written()),
    "a new identity": Target(f"identity/{MARK}.md", text=written(kind="identity")),
    "a fact in the rules": Target(f"rules/{MARK}.md", text=written(kind="knowledge")),
    "a new preference": Target(f"feedback/{MARK}.md", text=written(kind="feedback")),
    "a rule among the facts": Target(f"knowledge/{MARK}.md", text=written()),
    "a new stop": Target(
        f"knowledge/{MARK}.md", text=written(kind="knowledge", policy="never", when='{tool: [Bash], words: ["ls"]}')
    ),
    "a rule that supersedes one": Target(f"rules/{MARK}.md", text=written(supersedes=f"[{RULE}]")),
    "a rule that was a fact": Target(
        FACT, (("kind: knowledge", "kind: rule"), ("8080", MARK), ("origin: agent", "origin: user"))
    ),
    "other words in a rule": Target(RULE, ((STOPPED, f"{MARK}"),)),
    "a stop that is none": Target(RULE, (("policy: never", f"policy: do\nby: {MARK}"),)),
    "a rule that is disarmed": Target(RULE, (("policy: never", f"policy: never\nwhen: false\nby: {MARK}"),)),
    "a rule that is superseded": Target(RULE, (("status: active", f"status: superseded\nby: {MARK}"),)),
    "a rule of another project": Target(RULE, (("project: global", f"project: {MARK}"),)),
    "a rule of an outsider": Target(RULE, (("origin: user", f"origin: web\nby: {MARK}"),)),
    "a rule with another description": Target(RULE, (("description: ", f"description: {MARK} "),)),
    "other words in the identity": Target(WHO, (("Ada", MARK),)),
    "the brain": Target("BRAIN.md", (("<!-- holdfast", f"Always {MARK}.\n\n<!-- holdfast"),)),
    "the proposal says active": Target(
        "rules/proposed-by-the-agent.md", (("status: proposed", f"status: active\nby: {MARK}"),)
    ),
    "the quarantine, in the rules": Target("rules/out.md", text="QUARANTINED"),
}
FIRST_WAYS = ("redirect", "mv with an old time", "git commit", "with a writer of ours behind it")
FIRST_TARGETS = ("a new rule", "a new stop", "a stop that is none", "other words in the identity", "the brain")
NEWCOMERS = [
    (how, what, False)
    for what in TARGETS
    for how in PUT
    if (how in FIRST_WAYS or what in FIRST_TARGETS)
    and (what != "the brain" or "folder" not in how)  # it lies in the vault itself
]
REMOVALS = [(how, what, True) for what in (RULE, WHO) for how in TAKE]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A vault with a rule that stops, an identity, a fact of the agent's, a proposal, and something in quarantine."""
    with a_home(tmp_path_factory.mktemp("template")) as where:
        vault = str(where.vault)
        first: list[tuple[str, str, dict[str, Any]]] = [
            (f"Never run `{STOPPED}` on this machine.", "rule", {"name": "never run make release", "policy": "never"}),
            ("The user is Ada, who decides.", "identity", {"name": "ada"}),
            ("The port is 8080.", "knowledge", {"name": "port", "origin": "agent"}),
            (
                f"Proposed: {MARK} it.",
                "rule",
                {"name": "proposed by the agent", "origin": "agent", "status": "proposed"},
            ),
            (f"Always {MARK} from outside.", "rule", {"name": "outside", "origin": "web"}),
        ]
        for text, kind, more in first:
            edits.remember(vault, edits.Asked(text, kind, **more), time.time())
        git = ["git", "-C", vault, "config"]
        for key, value in (("user.name", "me"), ("user.email", "me@localhost")):
            subprocess.run([*git, key, value], check=True)
        yield where


@pytest.fixture
def case(template: Home, tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as where:
        shutil.copytree(template.vault, where.vault, symlinks=True)
        memory = Memory.open(str(where.vault), str(where.project), env=where.env)
        where.answer(where.event("SessionStart", "s1", source="startup"))
        edits.remember(str(where.vault), edits.Asked("The day begins."), time.time())  # this copy's own folders
        memory.sessions.refresh_brief()
        yield where


def clock_moves_on(where: Home) -> None:
    probe = Path(where.state, "probe")
    probe.write_text("")
    first = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns <= first + 10_000_000:
        os.utime(probe)


def wrongs(where: Home, kept: dict[str, str], when: str) -> list[str]:
    """What binds though an agent wrote it, and what does not though the user gave it."""
    vault = str(where.vault)
    found = []
    project = projects.find(str(where.project), vault)
    cached = brief_file.load(vault, where.state, project)
    for part in cached.parts:
        said = " ".join(full for full, _ in part.texts)
        if part.section in TOLD_AS_BINDING and MARK in said.lower():
            found.append(f"{when}: told as {part.section}: {said}")
    told = " ".join(full for part in cached.parts for full, _ in part.texts if part.section in TOLD_AS_BINDING)
    found += [f"{when}: no longer told: {words}" for words in kept.values() if words not in told]
    known = index.load(vault)
    for path, one in known.known.items():
        if MARK in f"{one.note.description} {one.note.fields}".lower() and authority.of(one) & BINDING:
            found.append(f"{when}: {path} binds as {authority.of(one)}")
    for path in kept:
        if path not in known.known or not authority.of(known.known[path]) & BINDING:
            found.append(f"{when}: {path} is lifted")
    asked = where.reply(where.event("PreToolUse", "p", tool_name="Bash", tool_input={"command": STOPPED}))
    if asked.get("permissionDecision") != "deny":
        found.append(f"{when}: the call is not stopped: {asked}")
    asked = where.reply(where.event("PreToolUse", "p2", tool_name="Bash", tool_input={"command": "ls -l"}))
    where.answer(where.event("Stop", "p2"))
    if asked:
        found.append(f"{when}: {asked}")
    return found


@pytest.mark.parametrize(("how", "what", "removes"), sample([*NEWCOMERS, *REMOVALS], SHORT))
def test_nothing_that_an_agent_edits_binds_and_nothing_of_the_users_is_lifted(
    case: Home, how: str, what: str, *, removes: bool
) -> None:
    target = Target(what) if removes else TARGETS[what]
    at = case.vault / target.path
    before = at.read_text() if at.exists() else ""
    beside = case.vault.parent / "beside"
    beside.mkdir()
    source = beside / "new.md"
    made = target.made_of(before)
    outside = next((case.vault / "quarantine").glob("*.md"))
    source.write_text(outside.read_text() if made == "QUARANTINED" else made)
    made_before = beside / "made"
    if at.parent != case.vault:
        at.parent.mkdir(exist_ok=True)
        shutil.copytree(at.parent, made_before)
        shutil.copy(source, made_before / at.name)
        clock_moves_on(case)
    kept = {RULE: STOPPED, WHO: "Ada"}
    given = {"V": str(case.vault), "P": str(beside), "NEW": str(source)}
    given |= {"AT": str(at), "REL": target.path, "MADE": str(made_before), "PYTHON": sys.executable}
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": how}, "tool_use_id": "c1"}
    if sum(map(ord, how + what)) % 2:
        once.first(case.state, case.episode("s1").key, once.TAINT, "web")
    case.answer(case.event("PreToolUse", **call))
    clock_moves_on(case)
    command = (TAKE if removes else PUT)[how]
    environment = {
        **case.env,
        **given,
        "PYTHONPATH": str(Path(edits.__file__).parents[2]),
        "CLAUDE_CODE_SESSION_ID": "s1",
    }
    done = subprocess.run(
        ["bash", "-c", command], env=environment, cwd=case.project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = wrongs(case, kept, "during the call")
    case.answer(case.event("PostToolUse", **call, tool_response="done"))
    clock_moves_on(case)
    found += wrongs(case, kept, "after the call")
    edits.remember(str(case.vault), edits.Asked("The day ends."), time.time())
    found += wrongs(case, kept, "after a writer")
    Memory.open(str(case.vault), str(case.project), env=case.env).sessions.refresh_brief()
    found += wrongs(case, kept, "in a brief made anew")
    assert outside.exists()
    count("agents' own edits of the vault", 1, bool(found))
    assert found == []
