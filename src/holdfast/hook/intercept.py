"""Our own commands in a tool call, heard before the shell runs them: their flags and checkpoints are kept at once.

A host may refuse the command, and a sandbox may keep it from writing: what was to be flagged is known here all the
same. Only what is certain is taken: words that the shell hands over as they are, in a command that is run whatever
becomes of the others. `test -f x || holdfast flag …` may never run, so it is left to the shell.

Flags are in the queue, synced, before the model does anything. A flag that its command would save too is the same
flag: the hook leaves word under the name of its words (capture/flag_words), and the command finds it. From one command
come neither two flags nor none, wherever hook or command are killed.
"""

from __future__ import annotations

import posix

from holdfast.capture import flags, gitfiles, once
from holdfast.capture.ids import new_id
from holdfast.errors import UsageError
from holdfast.hook.tool_call import speaker
from holdfast.model import replace, value, word_set
from holdfast.text import shell_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture import flag_words
    from holdfast.capture.episodes import Episode, Scene
    from holdfast.errors import HoldfastError
    from holdfast.model import Project
    from holdfast.text.shell_words import Command

PATIENCE = 0.3  # seconds that a hook waits for who is writing to the tasks; the command itself has more
UNHEARD = "only the shell knows what will be run"
COMMAND = "holdfast"
CHECKPOINT = "task checkpoint"
TAKEN = ("flag", "snag", CHECKPOINT)  # what the hook can do in the command's stead
RAW = ("flag", "snag", "remember", "handoff")  # whose words the hook keeps where a shell may change them
TASK = tuple(f"task {what}" for what in ("start", "pause", "resume", "block", "complete", "promote"))
LOOKING = tuple(f"task {what}" for what in ("show", "next", "is-done", "list", "decisions", "protocol"))
PLAIN = (*TAKEN, *TASK, *LOOKING, "remember", "recall", "handoff")  # what an agent may run without being asked
READING = ("show", "notes", "queue", "log", "boot", "history", "check", "doctor")
HARMLESS = ("true", ":", "pwd")  # that succeed, and change nothing
# Builtins that can end the shell, or change what the commands after them are, where they run, or for whom.
UPSETTING = word_set(
    "exit return logout set exec eval trap source . break continue kill suspend alias unalias hash enable shopt "
    "setopt unsetopt emulate builtin command functions export readonly declare typeset local unset let read mapfile "
    "readarray getopts cd pushd popd chdir ulimit umask shift times bind autoload"
)
CUT_AT = (4096, 1 << 16)  # lengths that a line has when an adapter has cut it


@value
class Said:
    """One of our commands: its name, what comes after it, and whether it is run, with exactly that. `folders` are those
    that the line goes to before it, one after the other: certain only if they are there. `is_raw`: it is run, unless
    the shell stumbles over it, with words of which the shell may change something; here they are as they were written.
    `document` is what it reads from the line itself. `unread` is all that stands behind it where the line begins with
    it and cannot be read: a quote that is never closed, most often."""

    name: str
    words: tuple[str, ...]
    is_certain: bool
    folders: tuple[str, ...] = ()
    is_raw: bool = False
    document: str | None = None
    unread: str = ""


@value
class Line:
    """Our commands in a line. `is_all`: nothing else is run, and nothing is written anywhere but by us. `is_ours`: the
    same, where it may also be a command that only looks."""

    said: tuple[Said, ...] = ()
    is_all: bool = False
    is_ours: bool = False


def read(line: str, command: str = COMMAND) -> Line:
    """Our commands in a shell's command line, in its order."""
    if COMMAND not in line:
        return Line()
    names = (COMMAND,) if command == COMMAND else _names(command)
    said: list[Said] = []
    is_all = goes_on = len(line) not in CUT_AT
    is_sound = True
    folders: tuple[str, ...] = ()
    try:
        for commands in shell_words.lines(line):
            is_apart = any(one.after in ("&", "|") for one in commands)
            was_sound, is_sound = is_sound, is_sound and all(one.is_sound for one in commands)
            reached = True
            for one in commands:
                reached = (reached or one.before in ("", ";", "&")) and one.before != "||"
                texts = one.texts[_settings(one) :]
                if len(texts) > 1 and texts[0] in names:
                    is_run = goes_on and reached
                    said.append(_said(one, certain=is_run and is_sound, raw=is_run and was_sound, folders=folders))
                    succeeds = said[-1].is_certain and said[-1].name in TAKEN
                    is_all = is_all and _is_plain(one) and said[-1].name in (*PLAIN, *READING)
                elif _is_move(one):
                    succeeds = goes_on = goes_on and reached and not is_apart
                    folders += one.texts[1:]
                else:
                    succeeds = _is_harmless(one)
                    goes_on = goes_on and _leaves_alone(one)
                    is_all = is_all and succeeds
                is_all = is_all and one.after in ("", ";", "&&")
                reached = reached and (succeeds or one.after == "|")
    except shell_words.Beyond as beyond:
        rest = str(beyond).lstrip()
        begun = next((name for name in RAW if goes_on and is_sound and rest.startswith(f"{COMMAND} {name} ")), "")
        said += [Said(name, (), False) for name in TAKEN if f"{COMMAND} {name} " in rest and name != begun]
        if begun:
            said.append(Said(begun, (), False, folders, unread=rest[len(COMMAND) + len(begun) + 2 :]))
        is_all = False
    is_ours = bool(said) and is_all
    return Line(tuple(said), is_ours and all(one.name in PLAIN for one in said), is_ours)


def _names(command: str) -> tuple[str, ...]:
    """How we can be called: by our name, or as the launcher says, which quotes a path as a shell wants it."""
    try:
        return (COMMAND, *(one.texts[0] for found in shell_words.lines(command) for one in found if one.texts))
    except shell_words.Beyond:
        return (COMMAND,)


def _said(one: Command, *, certain: bool, raw: bool, folders: tuple[str, ...]) -> Said:
    name, *words = one.texts[_settings(one) + 1 :]
    if name == "task" and words:
        name, words = f"task {words[0]}", words[1:]
    is_certain = certain and _is_plain(one)
    is_raw = raw and not is_certain and one.is_one and one.is_aside and not _settings(one)
    return Said(name, tuple(words), is_certain, folders, is_raw, one.document)


def _is_plain(one: Command) -> bool:
    """Run as it stands here; with another environment it could be for another session or vault."""
    return one.is_exact and one.is_aside and not _settings(one)


def _is_move(one: Command) -> bool:
    """`cd` to a folder that is named; where that is not there, the rest may not run."""
    texts = one.texts
    return texts[:1] == ("cd",) and len(texts) == 2 and _is_plain(one) and texts[1][:1] not in ("", "-")


def _is_harmless(one: Command) -> bool:
    return bool(one.texts) and one.texts[0] in HARMLESS and _is_plain(one)


def _leaves_alone(one: Command) -> bool:
    """Whether the shell goes on behind it as if it had not been, whether it works or fails."""
    name = one.texts[_settings(one) :][:1]
    return _is_harmless(one) or (bool(name) and one.is_exact and name[0] not in UPSETTING and name[0] not in HARMLESS)


def _settings(one: Command) -> int:
    """How many words set variables before the command's own name."""
    parts = (text.partition("=") for text in one.texts)
    is_set = [bool(equals) and name.rstrip("+").isidentifier() for name, equals, _ in parts]
    return [*is_set, False].index(False)


def take(scene: Scene, episode: Episode, line: Line, env: Mapping[str, str]) -> None:
    """Keep the flags and checkpoints in a tool call, each once. An uncertain one is left to the shell, and noted."""
    kept = 0
    for one in line.said:
        if one.name not in TAKEN and not ((one.is_raw or one.unread) and one.name in RAW):
            continue
        project = _project_of(scene, episode, one)
        if project is None or (one.is_raw and one.name not in RAW):
            scene.did["unheard"] = UNHEARD
            continue
        if project.off:
            continue  # the command will say why it writes nothing
        if one.is_raw or one.unread:
            _keep_raw(scene, episode, one, project)
        elif one.name == CHECKPOINT:
            _checkpoint(scene, episode, one, project, env)
        elif words := _words(scene, episode, one, project):
            kept += _decline(scene, episode, words) if words.nothing else _keep(scene, episode, one, words, project)
    if kept:
        scene.did["flags"] = kept


def _project_of(scene: Scene, episode: Episode, said: Said) -> Project | None:
    """The project that the command would name; None where it is not certain that it is run, or with what."""
    from holdfast.capture import gate

    if not (said.is_certain or said.is_raw or said.unread):
        return None
    at = scene.moment.cwd
    for folder in said.folders:
        at = gitfiles.resolve(at, folder)
        try:
            posix.stat(f"{at}/.")
        except (OSError, ValueError):
            return None
    return gate.project_at(at, scene.vault, episode)


def _words(scene: Scene, episode: Episode, said: Said, project: Project) -> flag_words.Words | None:
    from holdfast.capture import flag_words

    try:
        return flag_words.read(said.name, list(said.words), said.document)
    except UsageError as error:
        if flag_words.wants_pipe(list(said.words)) and said.document is None:
            return None  # only the command sees what is piped to it
        _refused(scene, episode, said, project, error)
        return None


def _refused(scene: Scene, episode: Episode, said: Said, project: Project, error: UsageError) -> None:
    """The command will say what is wrong with it, if it runs; its words are a draft either way, and only once."""
    from holdfast.capture import flag_words

    text, evidence = flag_words.submission(said.name, list(said.words), said.document)
    _draft(scene, episode, said.name, project, str(error), (text,), evidence)


def _draft(
    scene: Scene, episode: Episode, name: str, project: Project, why: str, texts: tuple[str, ...],
    evidence: tuple[str, ...] = (), kind: str = "", did: str = "draft",
) -> None:  # fmt: skip
    from holdfast.capture import drafts

    about = (why, project.id, episode.key, scene.now)
    origin = speaker(scene, episode).origin
    for text in texts:
        if drafts.keep(scene.state, name, text, *about, origin=origin, evidence=evidence, given=kind):
            scene.did[did] = name


def _keep_raw(scene: Scene, episode: Episode, said: Said, project: Project) -> None:
    """Words that the shell may change: as they were written they are a draft, until the command takes them."""
    from holdfast.capture import drafts, flag_words

    argv = list(said.words)
    if any(word in argv for word in ("--help", "--template", "--nothing")):
        return
    texts: tuple[str, ...] = (said.unread or said.document or "",)
    evidence: tuple[str, ...] = ()
    kind = ""
    if said.name in (drafts.FLAG, drafts.SNAG) and not said.unread:
        try:
            words = flag_words.read(said.name, argv, said.document)
            texts, evidence, kind = words.texts, words.evidence, words.kind
        except UsageError:
            texts = (flag_words.submission(said.name, argv, said.document)[0],)
    elif said.name == drafts.REMEMBER and not said.unread and not flag_words.wants_pipe(argv):
        texts = (flag_words.remembered(argv),)
    _draft(scene, episode, said.name, project, drafts.SHELL, texts, evidence, kind, "raw")


def _keep(scene: Scene, episode: Episode, said: Said, words: flag_words.Words, project: Project) -> int:
    """How many flags came of it. The ids are left word of first: whoever comes after a kill, in between or later,
    finds out which of them are in the queue, and saves the rest under the same ids."""
    ids = [new_id(scene.now, nth) for nth in range(len(words.texts))]
    if not once.first(scene.state, episode.key, words.name, words.word(ids, kept=False)):
        ids, is_kept = words.heard(once.read(scene.state, episode.key, words.name))
        if is_kept or (ids and flags.are_waiting(scene.state, ids, scene.now)):
            return 0  # heard before; whether it was refused then or not, it is in the queue
    who = replace(speaker(scene, episode), project=project)
    try:
        taken = flags.take_words(scene.vault, words, who, scene.now, insist=True, ids=ids)
    except UsageError as error:
        once.drop(scene.state, episode.key, words.name)
        _refused(scene, episode, said, project, error)
        return 0
    once.put(scene.state, episode.key, words.name, words.word([flag.id for flag in taken.flags], kept=True))
    return len(taken.flags)


def _checkpoint(scene: Scene, episode: Episode, said: Said, project: Project, env: Mapping[str, str]) -> None:
    """Take one entry of a task's memory. What cannot be taken is left to the command, which says why; its words are a
    draft, whether the command runs or not."""
    from holdfast.errors import Conflict, HoldfastError, NotFound
    from holdfast.tasks import checkpoint_words as task_words
    from holdfast.tasks import commands

    try:
        words = task_words.read(list(said.words))
        if words.from_stdin and said.document is None:
            return  # only the command sees what is piped to it
        words = task_words.settled(task_words.with_text(words, said.document or "") if words.from_stdin else words)
    except UsageError as error:
        _refused_checkpoint(scene, episode, said, project, error)
        return
    ident = new_id(scene.now)
    if not once.first(scene.state, episode.key, words.name, ident):
        ident, _, kept = (once.read(scene.state, episode.key, words.name) or "").partition("\n")
        if kept or not ident:
            return
    who = replace(speaker(scene, episode), project=project)
    try:
        commands.checkpoint(scene.vault, words, who, lambda: scene.now, env, ident=ident, patience=PATIENCE)
    except HoldfastError as error:
        once.drop(scene.state, episode.key, words.name)
        if isinstance(error, (UsageError, NotFound, Conflict)):
            _refused_checkpoint(scene, episode, said, project, error)
        return
    once.put(scene.state, episode.key, words.name, f"{ident}\n{task_words.KEPT}")
    scene.did["checkpoint"] = ident


def _refused_checkpoint(scene: Scene, episode: Episode, said: Said, project: Project, error: HoldfastError) -> None:
    from holdfast.capture import drafts
    from holdfast.tasks import checkpoint_words

    text = checkpoint_words.submission(list(said.words), said.document)
    _draft(scene, episode, drafts.CHECKPOINT, project, str(error), (text,))


def _decline(scene: Scene, episode: Episode, words: flag_words.Words) -> int:
    """There is nothing to flag, says the agent. Where its command cannot write, that is an answer all the same."""
    if scene.moment.agent:
        return 0  # a subagent answers for nobody else
    once.drop(scene.state, episode.key, once.HELD)
    asked = once.take(scene.state, episode.key, once.ASKED)
    once.put(scene.state, episode.key, words.name, asked or "")
    from holdfast.hook import nudge

    nudge.note(scene, episode, asked or "none", "declined")
    return 0
