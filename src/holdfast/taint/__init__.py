"""Taint: outside text has entered an episode, so what is flagged from then on may be its words.

A stretch is clean only while everything that entered it is known: the user's words, this repository's own tracked
text, and what the agent wrote itself. An unknown tool, program or file taints, and so does a repository in which the
user has never committed (docs/adr/0028). It stays until the context is cleared; a compaction's summary, a resumed and
a forked session inherit it. Taint weighs on rules, preferences, identity and snags alone: they wait for a person.
"""

from __future__ import annotations

import posix

from holdfast.capture import config as machine
from holdfast.capture import gitfiles, once, platform
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene
    from holdfast.model import Moment
    from holdfast.taint.known_text import Ground

LONGEST = 1 << 16  # characters of a command line that are looked at; a longer one is unknown
WEB, TOOL, REPOSITORY = "web", "tool", "repository"
REFLOG = 1 << 17  # bytes of one that are looked at, from its beginning and its end
MADE_HERE = (b"\tcommit", b"\trebase", b"\tcherry-pick", b"\trevert")
MOST_WORDS, LONGEST_WORD = 3, 120  # of what is told as the cause


@value
class Trust:
    """The user's own names on this machine: tools and programs, and tools that mark chapters and tasks."""

    named: tuple[str, ...] = ()
    marking: tuple[str, ...] = ()


def is_foreign(tool: str) -> bool:
    """Whether a tool is a server's, whatever it is told."""
    return tool.startswith("mcp__") or "/" in tool


def trust_of(config: Mapping[str, Any], ours: str = "") -> Trust:
    """Tools and programs that the user has named on this machine, our own command, and tools that mark chapters and
    tasks. A repository may not say whom to trust, so its settings do not count."""
    from holdfast.hosts.tools import CHAPTER_TOOLS

    nudge = machine.section(config, "nudge")
    marking = machine.texts(nudge, "chapter_tools", ()) + machine.texts(nudge, "task_tools", ())
    named = machine.texts(machine.section(config, "taint"), "trusted_tools", ())
    return Trust((*named, ours.strip("'")) if ours else named, CHAPTER_TOOLS + marking)


def ground_of(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> Ground:
    """The known text around a session, as seen from the folder that it was started in."""
    from holdfast.taint.known_text import Ground

    trusted = machine.texts(machine.section(config, "taint"), "trusted_folders", ())
    kept = {"session": episode.session, "transcript": scene.moment.transcript, "state": scene.state}
    return Ground(episode.cwd, scene.vault, home=env.get("HOME", ""), trusted=trusted, **kept)


def of_call(moment: Moment, ground: Ground, trust: Trust | None = None) -> tuple[str, str, list[str]]:
    """The origin of the text that a tool call has brought in, "" where it is known; its cause, and files written."""
    if "quarantine/" in moment.input or "holdfast review" in moment.command:
        return TOOL, "quarantine", []  # what waits there came from outside, and does so again
    trust = trust or Trust()
    found = None
    if moment.command and not is_foreign(moment.tool):
        if len(moment.command) >= LONGEST:
            return TOOL, moment.tool, []
        from holdfast.taint import command_line

        found = command_line.judge(moment.command, moment.cwd, ground, trust.named)
        if found[0] or not moment.sources:
            return found
    from holdfast.taint import host_tools

    if found:
        unknown = host_tools.unknown_source(moment, ground)
        return (TOOL, unknown, []) if unknown else found
    origin, cause = host_tools.judge(moment, ground, trust)
    return origin, cause, [] if origin else [ground.whole(path, moment.cwd) for path in moment.files]


def of_prompt(prompt: str, at: str, ground: Ground) -> tuple[str, str]:
    """The same of files and resources that a prompt mentions by `@`: the host puts their text beside it."""
    from holdfast.taint.known_text import is_there

    for word in prompt.split():
        if not word.startswith("@") or len(word) < 2:
            continue
        named = word[1:].strip("\"'`,;:!?)]}")
        if "://" in named:
            if not named.startswith("holdfast:"):
                return TOOL, named
            continue
        path = ground.at_home(named)
        for one in dict.fromkeys((path, path.rstrip("."), path.partition("#")[0])):
            if one and is_there(ground.whole(one, at)):
                if not ground.has(one, at) and not ground.has_folder(one, at):
                    return TOOL, named
                break
    return "", ""


def look(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """Note outside text that this moment has brought in; the files that a clean one wrote are the agent's own."""
    moment = scene.moment
    before = once.read(scene.state, episode.key, once.TAINT)
    if before == WEB:
        return
    if before is not None:
        from holdfast.taint import host_tools, known_programs

        is_web = moment.tool.lower() in host_tools.FETCHING
        if is_web or known_programs.speaks_of_the_web(moment.command[:LONGEST]):
            note(scene, episode, WEB)  # nothing is trusted less
        return
    ground = ground_of(scene, episode, env, config)
    written: list[str] = []
    try:
        if moment.event == "prompt":
            origin, cause = of_prompt(moment.prompt, moment.cwd, ground)
        else:
            from holdfast.taint.known_text import TASK

            origin, cause, written = of_call(moment, ground, trust_of(config, env.get("HOLDFAST_COMMAND", "")))
            written += [f"{TASK}{moment.background}"] if moment.background else []
    except Exception as error:
        scene.failures.append(error)
        origin, cause = TOOL, moment.tool
    if origin:
        note(scene, episode, origin, cause)
    elif written and not scene.is_quiet:
        from holdfast.capture import agent_files

        folders = [path.rpartition("/")[0] for path in written]
        agent_files.add(scene.state, ground.place, episode.session, [*written, *folders])


def note(scene: Scene, episode: Episode, origin: str, cause: str = "") -> None:
    """From now on flags carry this origin; the web is trusted least. `cause` is told to the person who reviews."""
    if once.first(scene.state, episode.key, once.TAINT, origin):
        once.touch(scene.state, episode.key, once.TAINT, scene.now)
        scene.did["taint"] = origin
        if cause:
            once.first(scene.state, episode.key, once.TAINTED_BY, in_short(cause))
    elif origin == WEB and once.read(scene.state, episode.key, once.TAINT) != WEB:
        once.put(scene.state, episode.key, once.TAINT, origin)
        scene.did["taint"] = origin


def in_short(cause: str) -> str:
    """The first words of a cause, cleaned of secrets as a whole; no word is cut, as half a secret is not recognised."""
    from holdfast.capture.redaction import redact

    words = redact(cause)[0].split()[:MOST_WORDS]
    return " ".join(word if len(word) <= LONGEST_WORD else "…" for word in words)


def is_strange(folder: str) -> bool:
    """Whether a folder lies in a repository that came from elsewhere, in which nothing was ever committed here. The
    reflog of HEAD tells: a clone has one line, and each commit made here adds one."""
    found = gitfiles.checkout(folder)
    if not found or not gitfiles.normal_url(gitfiles.origin_url(found.common)):
        return False
    looked = False
    for lines in reflogs(found.root, found.common):
        looked = looked or bool(lines.strip())  # an empty one has expired, and tells nothing
        if any(mark in lines for mark in MADE_HERE):
            return False
    return looked


def reflogs(root: str, common: str) -> Iterator[bytes]:
    """The beginning and the end of each record of where HEAD was: this work tree's and the repository's first one."""
    for folder in {common, gitfiles.own_folder(root)}:
        try:
            fd = platform.opened(f"{folder}/logs/HEAD")
        except (OSError, ValueError):
            continue
        try:
            end = posix.pread(fd, REFLOG, max(0, posix.fstat(fd).st_size - REFLOG))
            yield posix.pread(fd, REFLOG, 0) + b"\n" + end
        except OSError:
            continue
        finally:
            posix.close(fd)
