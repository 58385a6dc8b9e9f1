"""The tools that write: flag, snag, remember, forget, think, checkpoint, handoff. The same code as the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from holdfast.capture import caller, codec, drafts, flagging, home
from holdfast.capture import flag_words as words_of_flags
from holdfast.errors import UsageError
from holdfast.serve.mcp import words as telling
from holdfast.serve.mcp.tool import Arguments, Texts, Told
from holdfast.tasks import words as words_of_tasks

if TYPE_CHECKING:
    from holdfast.serve.mcp.peer import Place


class Flag(Arguments):
    text: Annotated[
        str, Field(description="The fact in one line, at most 4,000 characters. Left out only with nothing.")
    ] = ""
    kind: Literal["decision", "rule", "lesson", "preference", "fact", "progress"] = "fact"
    evidence: Annotated[Texts, Field(description="What proves it: FILE:LINE, a command, a commit.")]
    for_: Annotated[
        str, Field(alias="for", description="The id of the user's own words that this puts properly, if one was told.")
    ] = ""
    nothing: Annotated[bool, Field(description="Instead of a text: asked for facts, you have none that last.")] = False


def flag(place: Place, given: Flag) -> Told:
    if given.nothing:
        return _declined(place, given)
    words = words_of_flags.Words((given.text,), given.kind, tuple(given.evidence), given.for_)
    return _taken(place, words)


def _declined(place: Place, given: Flag) -> Told:
    """As `holdfast flag --nothing`: a boundary passed, and there is nothing to keep. That is an answer too."""
    if given.text or given.evidence or given.for_:
        raise UsageError("--nothing goes without a text; nothing was written. Leave one of the two out.")
    place.refuse_if_off()
    where = place.where
    speaker = flagging.Speaker(where.host, where.episode, where.project, "agent", where.is_open)
    # Whom no hook has seen was asked nothing.
    flagging.decline(home.state(place.vault), speaker, place.clock(), is_noted=not where.is_open)
    return Told("Nothing to flag; noted.")


class Snag(Arguments):
    text: Annotated[str, Field(description="What went wrong.")]
    better: Annotated[str, Field(description="The better path.")]
    evidence: Texts
    skill: Annotated[str, Field(description="The skill that should learn from it, by its folder's name.")] = ""
    rule: Annotated[str, Field(description="Or the rule, by its name.")] = ""


def snag(place: Place, given: Snag) -> Told:
    options = [("--better", given.better), *(("--evidence", one) for one in given.evidence)]
    options += [(name, said) for name, said in (("--skill", given.skill), ("--rule", given.rule)) if said]
    argv = [f"{name}={said}" for name, said in options]
    return _taken(place, words_of_flags.read("snag", [*argv, "--", given.text]))


def _taken(place: Place, words: words_of_flags.Words) -> Told:
    """As `holdfast flag` takes them: also into a vault of a newer format, which is no reason to lose a line."""
    place.refuse_if_off()
    where = place.where
    origin = caller.origin(where, place.vault)
    speaker = flagging.Speaker(where.host, where.episode, where.project, origin, where.is_open)
    try:
        taken = flagging.take_words(place.vault, words, speaker, place.clock())
    except UsageError as error:
        what = drafts.SNAG if words.kind == "snag" else drafts.FLAG
        about = ("\n".join(words.texts), where.project.id, where.episode, place.clock())
        state = home.state(place.vault)
        drafts.refused(state, error, what, *about, origin=origin, evidence=words.evidence)
        raise
    lines = [f"flagged {one.id} [{one.kind}] in project {where.project.id}" for one in taken.flags]
    return Told(telling.with_notes(lines, taken.changes))


class Remember(Arguments):
    text: Annotated[str, Field(description="What to remember.")]
    kind: Literal["knowledge", "rule", "feedback", "project", "identity"] = "knowledge"
    scope: Annotated[
        Literal["project", "global"], Field(description="global only where the user said so: it holds in all projects.")
    ] = "project"
    name: Annotated[str, Field(description="A short name for the note.")] = ""
    reason: Annotated[str, Field(description="Why it is so.")] = ""
    apply: Annotated[str, Field(description="How to apply it.")] = ""
    policy: Annotated[Literal["", "do", "ask", "never"], Field(description="Of a rule.")] = ""
    supersedes: Annotated[str, Field(description="The note that it takes the place of.")] = ""
    for_: Annotated[str, Field(alias="for", description="As in flag.")] = ""


def remember(place: Place, given: Remember) -> Told:
    from holdfast.vault.edits import Asked, Filed

    desk = place.desk()
    fields = given.model_dump(include={"text", "kind", "name", "reason", "apply", "policy", "supersedes"})
    project = desk.scope_of(given.scope, given.kind)
    done = desk.file(Asked(project=project, **fields), given.for_)
    if not isinstance(done, Filed):
        said = "notes cannot be written from here, the next close files it"
        return Told("\n".join(f"flagged {one.id} [{one.kind}]: {said}" for one in done))
    how = "already remembered" if done.was_there else "remembered"
    what = "all projects" if given.scope == "global" or given.kind == "identity" else f"project {project}"
    return Told(telling.with_notes([f"{how} in {done.path}, for {what}"], done.changes))


class Forget(Arguments):
    note: Annotated[str, Field(description="A note's name or path, or words to look for.")]
    remove: Annotated[
        bool,
        Field(description="Take it out: only with the whole name or path, and only if the user asked."),
    ] = False


def forget(place: Place, given: Forget) -> Told:
    desk = place.desk()
    found = desk.proposed(given.note)
    commit = desk.forget_named(given.note, found) if given.remove else ""
    if commit:
        return Told(f"forgotten: {found[0].path}; `holdfast undo {commit[:10]}` brings it back")
    return Told(telling.candidates(found))


class Think(Arguments):
    text: Annotated[str, Field(description="The thought, at most 10,000 characters.")]
    context: Annotated[str, Field(description="What it was thought about.")] = ""
    kind: Literal["original", "refinement", "consolidation"] = "original"
    sources: Annotated[Texts, Field(description="Ids of what it was made of: all kinds but original need them.")]
    tags: Annotated[Texts, Field(max_length=20)]
    category: Annotated[str, Field(max_length=60)] = ""
    space: Annotated[str, Field(max_length=60)] = ""


def think(place: Place, given: Think) -> Told:
    from holdfast.field.think import Words

    fields = given.model_dump(include={"text", "context", "kind", "category", "space"})
    done = place.desk().thought(Words(tags=tuple(given.tags), sources=tuple(given.sources), **fields))
    how = f"thought {done.thought.id}" if done.is_new else f"known already as {done.thought.id}, which is reinforced"
    return Told(telling.with_notes([how], done.changes))


class Checkpoint(Arguments):
    text: Annotated[str, Field(description='One entry, such as "COMPLETED: files 001-047".')]
    section: Annotated[
        Literal["decision", "progress", "discovery", "next"], Field(description="next: where to begin next time.")
    ]
    task: Annotated[str, Field(description="The task's id; without it the open one of this project.")] = ""
    supersedes: Annotated[Texts, Field(description="Ids of decisions that it takes the place of.")]
    and_: Annotated[bool, Field(alias="and", description="A decision that holds beside those it touches.")] = False


def checkpoint(place: Place, given: Checkpoint) -> Told:
    named = words_of_tasks.Words(
        "",
        given.section,
        tuple(words_of_tasks.entry_id(one) for one in given.supersedes),
        given.and_,
        words_of_tasks.ident(given.task) if given.task else "",
    )
    words = words_of_tasks.settled(words_of_tasks.with_text(named, given.text))
    desk = place.desk()
    desk.refuse_elsewhere(named.task)
    saved = desk.task_checkpoint(words)
    how = " (it was there already)" if saved.was_there else ""
    line = f"checkpointed ^{saved.entry.id[-6:].lower()} [{saved.entry.kind}] in task {saved.task.id}{how}"
    return Told(telling.with_notes([line], saved.notes))


class Handoff(Arguments):
    title: Annotated[str, Field(description="What the session was about.")] = ""
    goals: Texts
    worked_on: Texts
    state: Annotated[Texts, Field(description="Where it stands: the tree, the tests.")]
    done: Texts
    in_progress: Texts
    blockers: Texts
    decisions: Texts
    learned: Texts
    next_steps: Texts
    files_modified: Texts
    note: Annotated[Texts, Field(description="To the next session.")]
    anyway: Annotated[bool, Field(description="Write it although it was refused as unfit.")] = False


def handoff(place: Place, given: Handoff) -> Told:
    form = {name: said for name, said in given.model_dump(exclude={"anyway"}).items() if said}
    done = place.desk().handoff(codec.encode(form).decode("utf-8"), anyway=given.anyway)
    return Told(telling.with_notes([f"handed off as session {done.number}: {done.path}"], done.changes))
