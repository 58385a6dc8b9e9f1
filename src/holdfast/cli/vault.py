"""The vault on the command line: `history` and `undo`, `sync` between machines, `trust` in a repository's vault, the
projects it knows, `import` and `export`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.capture import gate, home, platform
from holdfast.cli import output
from holdfast.cli.command import AllProjects, Argument, Json, Option, Yes
from holdfast.errors import UsageError
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.vault.history import Entry
    from holdfast.vault.note_import import Item, Proposal
    from holdfast.vault.project_changes import ListedProject
    from holdfast.vault.sync import Synced


def history(
    note: Annotated[str, Argument(help="A note, by path or name; also one that is gone. All if none.")] = "",
    count: Annotated[int, Option("--count -n", least=1, help="How many changes, the newest.")] = 20,
    everything: AllProjects = False,
    json: Json = False,
) -> None:
    """Show who wrote what, when and why."""
    found, others = Memory.open().notes.history(note, count, everything=everything)
    record = {"changes": [_record(entry) for entry in found], "other_projects": others}
    output.answer(record, _history_lines(found, others), json=json)


def _history_lines(found: list[Entry], others: int) -> Iterator[str]:
    if not found:
        yield "Nothing was changed yet."
    for entry in found:
        why = f", {entry.cause}" if entry.cause else ""
        yield f"{entry.id}  {output.clock(entry.time)}  {entry.subject}  ({entry.who}{why})"
        yield from (f"    {path}" for path in entry.files[:10])
        if len(entry.files) > 10:
            yield f"    and {len(entry.files) - 10} more files"
    if others:
        yield f"{others} more in other projects (--all)."


def undo(
    ident: Annotated[str, Argument(metavar="ID", help="A change's id or commit, or the beginning of it.")],
    dry_run: Annotated[bool, Option("--dry-run", help="Show the difference, change nothing.")] = False,
    json: Json = False,
) -> None:
    """Take one change back; later work on the same files stays."""
    memory = Memory.open()
    if dry_run:
        plan, difference = memory.notes.undo_preview(ident)
        if json:
            record = {"of": _record(plan.entry), "by": None, "files": sorted(plan.texts), "skipped": []}
            output.as_json({**record, "diff": difference, "dry_run": True})
        else:
            output.echo(f"would undo {plan.entry.id}: {plan.entry.subject}\n{difference}", nl=False)
        return
    done = memory.notes.undo(ident)
    record = {"of": _record(done.of), "by": _record(done.by), "files": list(done.by.files)}
    lines = (
        f"undone {done.of.id}: {done.of.subject}",
        f"`holdfast undo {done.by.id}` brings it back.",
        *(f"left as it is, because somebody was editing it: {path}" for path in done.skipped),
    )
    output.answer({**record, "skipped": list(done.skipped), "dry_run": False}, lines, json=json)


def _record(entry: Entry) -> dict[str, Any]:
    names = ("id", "commit", "time", "who", "cause", "subject")
    return {**{name: getattr(entry, name) for name in names}, "files": list(entry.files)}


def sync(
    remote: Annotated[str, Option("--remote", help="A remote's name or address; an address becomes the origin.")] = "",
    dry_run: Annotated[bool, Option("--dry-run", help="Fetch and compare, change and send nothing.")] = False,
    join: Annotated[bool, Option("--join", help="Make one vault of two that began apart.")] = False,
    json: Json = False,
) -> None:
    """Take what other machines wrote, and send what this one did."""
    memory = Memory.open()
    done = memory.notes.sync_preview(remote, join=join) if dry_run else memory.notes.sync(remote, join=join)
    conflicts = [{"path": one.path, "theirs": one.theirs, "why": one.why} for one in done.conflicts]
    record = {"remote": done.remote, "taken": list(done.taken), "sent": done.sent, "conflicts": conflicts}
    record |= {"commit": done.commit, "dry_run": done.dry_run, "origin_was": done.origin_was}
    output.answer(record, _sync_lines(done), json=json)


def _sync_lines(done: Synced) -> Iterator[str]:
    would = "would be " if done.dry_run else ""
    files, commits = output.counted(len(done.taken), "file"), output.counted(done.sent, "commit")
    yield f"{done.remote}: {files} {would}taken, {commits} {would}sent"
    if done.origin_was:
        yield f"origin is now {done.remote} (was {done.origin_was})"
    yield from (f"    {path}" for path in done.taken)
    for one in done.conflicts:
        yield f"CONFLICT {one.path}: {one.why}"
        if one.theirs:
            yield f"    theirs is kept as {one.theirs}; put what you want into {one.path} and remove it"


def trust(
    remove: Annotated[bool, Option("--remove", help="Take the word back.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Use the vault that this repository names in its .holdfast.toml. Until then it is ignored."""
    from holdfast.vault import review as trusting

    own, cwd = home.vault(os.environ), platform.working_folder(os.environ)
    by = gate.asker(os.environ, cwd, own)
    if remove:
        root = trusting.distrust(own, cwd)
        output.answer({"root": root, "trusted": False}, (f"no longer trusted: {root}",), json=json)
        return
    gate.require(by, gate.Change(gate.TRUST), "Trusting a repository's vault")
    found = trusting.offer(own, cwd)
    if not found.trusted and not yes:
        output.echo(
            f"{found.root} asks to use its own vault {found.vault}: its notes and rules would steer your agent."
        )
        if not sys.stdin.isatty():
            raise UsageError("Nothing was changed. Read it, then say --yes.")
        if not output.confirm("Trust it on this machine?"):
            raise UsageError("Nothing was changed.")
    found = trusting.trust(own, cwd, by=by)
    record = {"root": found.root, "vault": found.vault, "trusted": True}
    output.answer(record, (f"trusted: {found.root} uses {found.vault}",), json=json)
    if os.environ.get("HOLDFAST_HOME"):
        output.echo("note: HOLDFAST_HOME is set and goes before it, as long as it is.", err=True)


MOVE = "to move a note, change `project:` in its file to"


def list_(json: Json = False) -> None:
    """List every project with the keys that it is found by, and what there is of it."""
    memory = Memory.open()
    found = memory.sessions.projects()
    output.answer({"projects": [dict(one.__dict__) for one in found]}, _project_lines(found), json=json)


def _project_lines(found: list[ListedProject]) -> Iterator[str]:
    if not found:
        yield "No project is known yet: the first flag or session in a folder makes one."
    for one in found:
        counts = [(one.notes, "note"), (one.handoffs, "handoff"), (one.waiting, "flag")]
        said = ", ".join(output.counted(count, what) for count, what in counts)
        yield f"{output.plain(one.id)}{' (here)' if one.here else ''}: {said} waiting"
        yield from (f"    {output.plain(key)}" for key in one.keys)
        yield from (f"    merged into it: {output.plain(ident)}" for ident in one.merged)
        if one.clash:
            yield f"    {output.plain(one.clash)}."


def merge(
    other: Annotated[str, Argument(help="The project that becomes part of another: its id, name or a key.")],
    into: Annotated[str, Argument(help="The project that stays; without it the one of this folder.")] = "",
    json: Json = False,
) -> None:
    """Make two projects one, so that each of their folders shows the memory of both. Nothing is rewritten."""
    done = Memory.open().sessions.merge_projects(other, into)
    gone, kept = output.plain(done.project), output.plain(done.into)
    lines = (
        f"merged {gone} into {kept}: both folders show the memory of both, and what is new goes to {kept}",
        f"`holdfast project split {gone}` takes it back.",
    )
    output.answer(dict(done.__dict__), lines, json=json)


def split(
    key: Annotated[str, Argument(help="A key as `project list` has it, a folder, or a project that was merged.")],
    name: Annotated[str, Option("--as", help="What the new project is called.")] = "",
    json: Json = False,
) -> None:
    """Take a key out of its project, so that it is one of its own from now on; or take a merge back."""
    done = Memory.open().sessions.split_project(key, name)
    fresh, old = output.plain(done.project), output.plain(" and ".join(done.of))
    lines = (
        f"{fresh} is a project of its own again, with all that was remembered under its id",
        f"What was filed since the merge stays with {old}; {MOVE} {fresh}.",
    )
    if done.key:
        lines = (
            f"{output.plain(done.key)} is project {fresh} from now on",
            f"What was remembered so far stays with {old} (`holdfast notes --all` lists it); {MOVE} {fresh}.",
        )
    output.answer({**done.__dict__, "of": list(done.of)}, lines, json=json)


def export(
    file: Annotated[str, Argument(help="The archive to write, for example vault.tar.gz.")],
    force: Annotated[bool, Option("--force", help="Replace a file that is there.")] = False,
    json: Json = False,
) -> None:
    """Write notes, history and logs into one archive, which `holdfast import` restores."""
    done = Memory.open().notes.export(file, force=force)
    record = {"path": done.path, "files": done.files, "bytes": done.size, "left_out": list(done.left_out)}
    said = f"exported {done.files:,} files to {done.path} ({done.size:,} bytes)"
    left = (f"left out, because it leads out of the vault: {path}" for path in done.left_out)
    output.answer(record, (said, *left), json=json)


REMARKS = {
    "unchanged": "known already",
    "edited": "changed at the source, but you edited the note since; it was left as it is",
}


def import_(
    paths: Annotated[list[str] | None, Argument(help="Files to import, or one archive of `holdfast export`.")] = None,
    yes: Yes = False,
    project: Annotated[
        bool | None,
        Option("--project/--global", help="Where the notes belong; else by file."),
    ] = None,
    as_rules: Annotated[bool, Option("--as-rules", help="As rules of yours, by your own word.")] = False,
    all_hosts: Annotated[bool, Option("--all-hosts", help="Also the files of other agents.")] = False,
    json: Json = False,
) -> None:
    """Show what CLAUDE.md, AGENTS.md and Claude Code's own memory would give, ask, and make notes of it.

    Nothing is changed in those files. A single archive is restored instead, into a vault without notes.
    """
    memory = Memory.open()
    if paths and any(memory.notes.is_archive(path) for path in paths):
        _restore(memory, paths, json=json)
        return
    scope = "" if project is None else "project" if project else "global"
    proposal = memory.notes.propose_import(paths or (), scope=scope, as_rules=as_rules, all_hosts=all_hosts)
    if not json:
        output.lines(_proposal_lines(proposal))
    wanted = len(proposal.to_write())
    which = "this note" if wanted == 1 else f"these {wanted} notes"
    if not wanted or not (yes or (not json and output.is_answered() and output.confirm(f"Write {which}?"))):
        if json:
            output.as_json(_import_record(proposal.items, proposal, ""))
        elif wanted:
            output.echo("Nothing was written; --yes writes it.")
        return
    done = memory.notes.import_notes(proposal)
    if json:
        output.as_json(_import_record(done.items, proposal, done.commit))
        return
    count = sum(item.action in ("new", "changed") and item.path not in done.skipped for item in done.items)
    output.echo(f"imported {output.counted(count, 'note')} (commit {done.commit[:10]})")
    for path in done.skipped:
        output.echo(f"left to you, since it was edited at that moment: {path}")


def _restore(memory: Memory, paths: list[str], *, json: bool) -> None:
    if len(paths) > 1:
        raise UsageError("An archive is restored by itself; nothing was changed. Name only the archive.")
    done = memory.notes.restore(paths[0])
    lines = [f"restored {done.files:,} files into {done.vault}"]
    lines += [f"the empty vault that was there is kept at {done.aside}"] if done.aside else []
    output.answer({"vault": done.vault, "files": done.files, "aside": done.aside}, lines, json=json)


def _proposal_lines(proposal: Proposal) -> Iterator[str]:
    for item in proposal.items:
        one = item.candidate
        remark = f"  ({REMARKS[item.action]})" if item.action in REMARKS else ""
        place = f"{one.file}:{one.first}-{one.last}"
        yield f"{item.action:9}  {item.kind:9}  {one.name}  [{one.project}]  {place}{remark}"
        if one.secrets:
            yield f"           secrets will be redacted: {', '.join(one.secrets)}"
    yield from (f"note: {problem}" for problem in proposal.problems)
    if not proposal.items:
        yield "There is nothing to import here."


def _import_record(items: tuple[Item, ...], proposal: Proposal, commit: str) -> dict[str, Any]:
    listed = [
        {
            "action": item.action,
            "kind": item.kind,
            "name": item.candidate.name,
            "path": item.path,
            **{name: getattr(item.candidate, name) for name in ("project", "file", "first", "last")},
            "secrets": list(item.candidate.secrets),
        }
        for item in items
    ]
    return {"items": listed, "problems": list(proposal.problems), "written": bool(commit), "commit": commit}
