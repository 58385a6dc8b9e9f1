"""`holdfast history` and `holdfast undo`: who wrote what, when and why; and taking one change back.

`holdfast sync`: one vault on several machines.

`holdfast trust`: whether the vault that a repository brings counts.

`holdfast project`: which projects the vault knows, by which keys, and what there is of each.

`holdfast export`: the whole vault as one file.

`holdfast import`: agents' instruction files into notes, or an archive into a vault.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.capture import gate, home, platform
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.errors import UsageError
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.vault.history import Entry
    from holdfast.vault.note_import import Item, Proposal


def history(
    note: Annotated[str, Argument(help="A note, by path or name; also one that is gone. All if none.")] = "",
    count: Annotated[int, Option("--count -n", least=1, help="How many changes, the newest.")] = 20,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show who wrote what, when and why."""
    found, others = Memory.open().notes.history(note, count, everything=everything)
    if json:
        output.as_json({"changes": [_record(entry) for entry in found], "other_projects": others})
        return
    if not found:
        output.echo("Nothing was changed yet.")
    for entry in found:
        why = f", {entry.cause}" if entry.cause else ""
        output.echo(f"{entry.id}  {output.clock(entry.time)}  {entry.subject}  ({entry.who}{why})")
        for path in entry.files[:10]:
            output.echo(f"    {path}")
        if len(entry.files) > 10:
            output.echo(f"    and {len(entry.files) - 10} more files")
    if others:
        output.echo(f"{others} more in other projects (--all).")


def undo(
    ident: Annotated[str, Argument(metavar="ID", help="A change's id or commit, or the beginning of it.")],
    dry_run: Annotated[bool, Option("--dry-run", help="Show the difference, change nothing.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
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
    if json:
        record = {"of": _record(done.of), "by": _record(done.by), "files": list(done.by.files)}
        output.as_json({**record, "skipped": list(done.skipped), "dry_run": False})
        return
    output.echo(f"undone {done.of.id}: {done.of.subject}")
    output.echo(f"`holdfast undo {done.by.id}` brings it back.")
    for path in done.skipped:
        output.echo(f"left as it is, because somebody was editing it: {path}")


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "commit": entry.commit,
        "time": entry.time,
        "who": entry.who,
        "cause": entry.cause,
        "subject": entry.subject,
        "files": list(entry.files),
    }


def sync(
    remote: Annotated[str, Option("--remote", help="A remote's name or address; an address becomes the origin.")] = "",
    dry_run: Annotated[bool, Option("--dry-run", help="Fetch and compare, change and send nothing.")] = False,
    join: Annotated[bool, Option("--join", help="Make one vault of two that began apart.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Take what other machines wrote, and send what this one did."""
    memory = Memory.open()
    done = memory.notes.sync_preview(remote, join=join) if dry_run else memory.notes.sync(remote, join=join)
    if json:
        conflicts = [{"path": one.path, "theirs": one.theirs, "why": one.why} for one in done.conflicts]
        record = {"remote": done.remote, "taken": list(done.taken), "sent": done.sent, "conflicts": conflicts}
        output.as_json({**record, "commit": done.commit, "dry_run": done.dry_run, "origin_was": done.origin_was})
        return
    would = "would be " if done.dry_run else ""
    files, commits = len(done.taken), done.sent
    output.echo(
        f"{done.remote}: {files} file{'' if files == 1 else 's'} {would}taken, {commits} commit"
        f"{'' if commits == 1 else 's'} {would}sent"
    )
    if done.origin_was:
        output.echo(f"origin is now {done.remote} (was {done.origin_was})")
    for path in done.taken:
        output.echo(f"    {path}")
    for one in done.conflicts:
        output.echo(f"CONFLICT {one.path}: {one.why}")
        if one.theirs:
            output.echo(f"    theirs is kept as {one.theirs}; put what you want into {one.path} and remove it")


def trust(
    remove: Annotated[bool, Option("--remove", help="Take the word back.")] = False,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Use the vault that this repository names in its .holdfast.toml. Until then it is ignored."""
    from holdfast.vault import review as trusting

    own, cwd = home.vault(os.environ), platform.working_folder(os.environ)
    by = gate.asker(os.environ, cwd, own)
    if not remove:
        gate.require(by, gate.Change(gate.TRUST), "Trusting a repository's vault")
    if remove:
        root = trusting.distrust(own, cwd)
        output.as_json({"root": root, "trusted": False}) if json else output.echo(f"no longer trusted: {root}")
        return
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
    if json:
        output.as_json({"root": found.root, "vault": found.vault, "trusted": True})
    else:
        output.echo(f"trusted: {found.root} uses {found.vault}")
    if os.environ.get("HOLDFAST_HOME"):
        output.echo("note: HOLDFAST_HOME is set and goes before it, as long as it is.", err=True)


MOVE = "to move a note, change `project:` in its file to"


def list_(json: Annotated[bool, Option("--json", help="As JSON.")] = False) -> None:
    """List every project with the keys that it is found by, and what there is of it."""
    memory = Memory.open()
    found = memory.sessions.projects()
    if json:
        output.as_json({"projects": [dict(one.__dict__) for one in found]})
        return
    if not found:
        output.echo("No project is known yet: the first flag or session in a folder makes one.")
    for one in found:
        counts = [(one.notes, "note"), (one.handoffs, "handoff"), (one.waiting, "flag")]
        said = [f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts]
        output.echo(f"{output.plain(one.id)}{' (here)' if one.here else ''}: {', '.join(said)} waiting")
        for key in one.keys:
            output.echo(f"    {output.plain(key)}")
        for ident in one.merged:
            output.echo(f"    merged into it: {output.plain(ident)}")
        if one.clash:
            output.echo(f"    {output.plain(one.clash)}.")


def merge(
    other: Annotated[str, Argument(help="The project that becomes part of another: its id, name or a key.")],
    into: Annotated[str, Argument(help="The project that stays; without it the one of this folder.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Make two projects one, so that each of their folders shows the memory of both. Nothing is rewritten."""
    done = Memory.open().sessions.merge_projects(other, into)
    if json:
        output.as_json(dict(done.__dict__))
        return
    gone, kept = output.plain(done.project), output.plain(done.into)
    output.echo(f"merged {gone} into {kept}: both folders show the memory of both, and what is new goes to {kept}")
    output.echo(f"`holdfast project split {gone}` takes it back.")


def split(
    key: Annotated[str, Argument(help="A key as `project list` has it, a folder, or a project that was merged.")],
    name: Annotated[str, Option("--as", help="What the new project is called.")] = "",
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Take a key out of its project, so that it is one of its own from now on; or take a merge back."""
    done = Memory.open().sessions.split_project(key, name)
    if json:
        output.as_json({**done.__dict__, "of": list(done.of)})
        return
    fresh, old = output.plain(done.project), output.plain(" and ".join(done.of))
    if not done.key:
        output.echo(f"{fresh} is a project of its own again, with all that was remembered under its id")
        output.echo(f"What was filed since the merge stays with {old}; {MOVE} {fresh}.")
        return
    output.echo(f"{output.plain(done.key)} is project {fresh} from now on")
    output.echo(f"What was remembered so far stays with {old} (`holdfast notes --all` lists it); {MOVE} {fresh}.")


def export(
    file: Annotated[str, Argument(help="The archive to write, for example vault.tar.gz.")],
    force: Annotated[bool, Option("--force", help="Replace a file that is there.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Write notes, history and logs into one archive, which `holdfast import` restores."""
    done = Memory.open().notes.export(file, force=force)
    if json:
        left_out = list(done.left_out)
        output.as_json({"path": done.path, "files": done.files, "bytes": done.size, "left_out": left_out})
        return
    output.echo(f"exported {done.files:,} files to {done.path} ({done.size:,} bytes)")
    for path in done.left_out:
        output.echo(f"left out, because it leads out of the vault: {path}")


REMARKS = {
    "unchanged": "known already",
    "edited": "changed at the source, but you edited the note since; it was left as it is",
}


def import_(
    paths: Annotated[list[str] | None, Argument(help="Files to import, or one archive of `holdfast export`.")] = None,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
    project: Annotated[
        bool | None,
        Option("--project/--global", help="Where the notes belong; else by file."),
    ] = None,
    as_rules: Annotated[bool, Option("--as-rules", help="As rules of yours, by your own word.")] = False,
    all_hosts: Annotated[bool, Option("--all-hosts", help="Also the files of other agents.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
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
        _show(proposal)
    wanted = bool(proposal.to_write())
    if not (wanted and (yes or (not json and _agreed(len(proposal.to_write()))))):
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
    output.echo(f"imported {count} note{'' if count == 1 else 's'} (commit {done.commit[:10]})")
    for path in done.skipped:
        output.echo(f"left to you, since it was edited at that moment: {path}")


def _restore(memory: Memory, paths: list[str], *, json: bool) -> None:
    if len(paths) > 1:
        raise UsageError("An archive is restored by itself; nothing was changed. Name only the archive.")
    done = memory.notes.restore(paths[0])
    if json:
        output.as_json({"vault": done.vault, "files": done.files, "aside": done.aside})
        return
    output.echo(f"restored {done.files:,} files into {done.vault}")
    if done.aside:
        output.echo(f"the empty vault that was there is kept at {done.aside}")


def _show(proposal: Proposal) -> None:
    for item in proposal.items:
        one = item.candidate
        place = f"{one.file}:{one.first}-{one.last}"
        remark = f"  ({REMARKS[item.action]})" if item.action in REMARKS else ""
        output.echo(f"{item.action:9}  {item.kind:9}  {one.name}  [{one.project}]  {place}{remark}")
        if one.secrets:
            output.echo(f"           secrets will be redacted: {', '.join(one.secrets)}")
    for problem in proposal.problems:
        output.echo(f"note: {problem}")
    if not proposal.items:
        output.echo("There is nothing to import here.")


def _agreed(count: int) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return output.confirm(f"Write {'this note' if count == 1 else f'these {count} notes'}?")


def _import_record(items: tuple[Item, ...], proposal: Proposal, commit: str) -> dict[str, Any]:
    listed = [
        {
            "action": item.action,
            "kind": item.kind,
            "name": item.candidate.name,
            "path": item.path,
            "project": item.candidate.project,
            "file": item.candidate.file,
            "first": item.candidate.first,
            "last": item.candidate.last,
            "secrets": list(item.candidate.secrets),
        }
        for item in items
    ]
    return {"items": listed, "problems": list(proposal.problems), "written": bool(commit), "commit": commit}
