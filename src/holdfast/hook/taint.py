"""Taint: outside text has entered an episode, so what is flagged from then on may be its words.

Web pages, the output of foreign tools, files outside the project, and a repository in which the user has never
committed. It stays until the context is cleared; a compaction's summary, a resumed and a forked session inherit it.
What taint does is decided where flags are filed: rules and preferences from a tainted stretch wait for a person.
"""

from __future__ import annotations

import posix

from holdfast.capture import course, gitfiles, platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene
    from holdfast.model import Moment

WEB_TOOLS = frozenset(("WebFetch", "WebSearch", "web_search", "web_fetch", "google_web_search", "fetch"))
RESOURCES = frozenset(
    ("ReadMcpResourceTool", "ReadMcpResourceDirTool", "ListMcpResourcesTool")
    + ("read_mcp_resource", "list_mcp_resources", "list_mcp_resource_templates")
)
READERS = frozenset(("Read", "NotebookRead", "Grep", "Glob", "LS", "view_image", "read_file"))
WEB_COMMANDS = frozenset(("curl", "wget", "lynx", "links", "w3m", "http", "https", "xh", "aria2c", "gh", "glab"))
READING_COMMANDS = frozenset(
    (
        "cat",
        "tac",
        "nl",
        "less",
        "more",
        "head",
        "tail",
        "grep",
        "egrep",
        "rg",
        "ag",
        "sed",
        "awk",
        "cut",
        "sort",
        "bat",
    )
    + ("strings", "xxd", "od", "jq", "yq", "diff", "cp", "mv", "ln", "unzip", "zcat", "pdftotext", "git")
)
WITH_PATTERN = frozenset(("grep", "egrep", "rg", "ag", "sed", "awk", "jq", "yq"))  # before the files
TO_PLACE = frozenset(("cp", "mv", "ln"))  # after them
LONGEST = 1 << 14  # characters of a command line that are looked at
WEB, TOOL, REPOSITORY = "web", "tool", "repository"
REFLOG = 1 << 16  # bytes of it that are looked at, from its beginning and its end
MADE_HERE = (b"\tcommit", b"\trebase", b"\tcherry-pick", b"\trevert")


def of_call(moment: Moment, root: str, vault: str) -> str:
    """The origin of the text that a tool call has brought in; "" where it is the project's own.

    A tool that marks chapters is a foreign tool here too: its name says nothing of what it answers. Our own server's
    tools and resources say what `holdfast recall`, `show` and `boot` say in a shell, which taints nothing either: what
    is remembered from outside says so itself, and what waits for a review is not handed out.
    """
    tool = moment.tool
    if tool in WEB_TOOLS:
        return WEB
    if "quarantine/" in moment.input or "holdfast review" in moment.command:
        return TOOL  # what waits in quarantine came from outside, and does so again
    if tool in RESOURCES:
        return "" if _is_of_ours(moment.input) else TOOL
    if tool.startswith("mcp__") or "/" in tool:
        return "" if tool.startswith("mcp__holdfast__") else TOOL
    if tool in READERS:
        return TOOL if any(_is_outside(path, moment.cwd, root, vault) for path in moment.paths) else ""
    return _of_command(moment.command[:LONGEST], moment.cwd, (root, vault)) if moment.command else ""


def _is_of_ours(given: str) -> bool:
    """Whether resources were asked of our server alone: its name, addresses in our own scheme, the place in a list.
    Without a name all servers are asked."""
    words = given.split("\n")
    return "holdfast" in words and all(
        word == "holdfast" or word.startswith("holdfast://") or word.isdecimal() for word in words
    )


def _of_command(command: str, at: str, own: tuple[str, str]) -> str:
    """Of a command line as it reads at a glance: which programs it starts, and which files they are given."""
    from holdfast.hook.shell_glance import commands

    found = ""
    for program, *rest in commands(command):
        name = program.rpartition("/")[2]
        if name in WEB_COMMANDS or (name == "git" and "clone" in rest):
            return WEB
        if name == "cd":
            at = gitfiles.resolve(at, rest[0]) if rest and rest[0][:1] not in "~$" else "/"
        elif name in READING_COMMANDS:
            given = [word for word in rest if word[:1] != "-"]
            given = given[1:] if name in WITH_PATTERN else given[:-1] if name in TO_PLACE else given
            found = TOOL if any(_is_outside(word, at, *own) for word in given) else found
    return found


def _is_outside(path: str, cwd: str, root: str, vault: str) -> bool:
    if path.startswith(("~", "$HOME", "${HOME")):
        return True
    whole = gitfiles.resolve(cwd, path)
    if whole.startswith(("/dev/", "/proc/self/")):
        return False
    return not any(f"{whole}/".startswith(f"{one.rstrip('/')}/") for one in (root, vault))


def note(scene: Scene, episode: Episode, origin: str) -> None:
    """From now on what is flagged carries this origin. The web is trusted least of all."""
    if course.first(scene.state, episode.key, course.TAINT, origin):
        course.touch(scene.state, episode.key, course.TAINT, scene.now)
        scene.did["taint"] = origin
    elif origin == WEB and course.read(scene.state, episode.key, course.TAINT) != WEB:
        course.put(scene.state, episode.key, course.TAINT, origin)
        scene.did["taint"] = origin


def is_strange(folder: str) -> bool:
    """Whether a folder lies in a repository that came from elsewhere, in which nothing was ever committed here.

    git's own record of what HEAD was set to tells it: a clone has one line, and each commit made here adds one.
    """
    found = gitfiles.checkout(folder)
    if not found or not gitfiles.normal_url(gitfiles.origin_url(found.common)):
        return False
    looked = False
    for git in {found.common, gitfiles.own_folder(found.root)}:
        try:
            lines = _ends(f"{git}/logs/HEAD")
        except OSError:
            continue
        looked = looked or bool(lines)  # an empty one has expired, and tells nothing
        if any(mark in lines for mark in MADE_HERE):
            return False
    return looked


def _ends(path: str) -> bytes:
    fd = platform.opened(path)
    try:
        size = posix.fstat(fd).st_size
        return posix.pread(fd, REFLOG, 0) + posix.pread(fd, REFLOG, max(0, size - REFLOG))
    finally:
        posix.close(fd)
