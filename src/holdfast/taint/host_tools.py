"""The hosts' own tools, and how each is read: which bring in nothing, which read files, which fetch.

A tool that is not here is unknown, and its answer is outside text: every other server's, every tool that a host adds.
Tools are known by their names in lower case, so that hosts which spell them differently need no table each.
"""

from __future__ import annotations

from holdfast.model import word_set
from holdfast.taint import is_foreign
from holdfast.taint.known_text import is_others, is_there

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.model import Moment
    from holdfast.taint import Trust
    from holdfast.taint.known_text import Ground

WEB, TOOL = "web", "tool"
FETCHING = word_set("webfetch websearch web_search web_fetch google_web_search fetch browser view_url webfetchtool")
# They answer with their own words, with the user's, or with what other calls of this session have brought: a command in
# the background and a subagent's calls are looked at when they are made.
PLAIN = word_set(
    "todowrite todoread taskcreate taskupdate tasklist taskget taskstop taskoutput bashoutput killshell killbash "
    "enterplanmode exitplanmode enter_plan_mode exit_plan_mode askuserquestion task agent sendmessage agentoutput "
    "agentoutputtool enterworktree exitworktree croncreate crondelete cronlist schedulewakeup structuredoutput "
    "pushnotification update_plan request_user_input spawn_agent send_input wait wait_agent close_agent resume_agent "
    "list_agents write_stdin write_todos todo_write todo_read sleep"
)
WRITERS = word_set("write write_file create create_file")
EDITORS = word_set(
    "edit multiedit notebookedit apply_patch replace edit_file update_file str_replace str_replace_editor patch "
    "str_replace_based_edit_tool delete_file move_file"
)
READERS = word_set("read notebookread read_file view view_image open_file read_text_file read_many_files")
LISTING = word_set("glob ls list list_dir list_directory find_files")
SEARCHING = word_set("grep grep_files search_file_content search_files")
RESOURCES = word_set(
    "readmcpresourcetool readmcpresourcedirtool listmcpresourcestool read_mcp_resource list_mcp_resources "
    "list_mcp_resource_templates"
)
SHELLS = word_set("bash shell exec_command local_shell unified_exec shell_command container.exec run_shell_command")
SKILLS = word_set("skill slashcommand")
PATCHED = ("*** Update File: ", "*** Delete File: ")
OURS = ("mcp__holdfast__", "mcp__plugin_holdfast_holdfast__")
MOST_SOURCES = 64


def judge(moment: Moment, ground: Ground, trust: Trust) -> tuple[str, str]:
    """The origin of what a tool has answered, and what brought it; "" where all of it is known."""
    tool = moment.tool
    name = tool.lower()
    if tool.startswith(OURS) or _is_trusted(tool, trust):
        return "", ""
    if name in FETCHING:
        return WEB, tool
    if is_foreign(tool):
        return TOOL, tool
    if name in RESOURCES:
        return ("", "") if is_of_ours(moment.input) else (TOOL, tool)
    if name in PLAIN or name in WRITERS:
        return "", ""
    unknown = tool
    if name in SHELLS:
        unknown = tool if moment.input else ""  # told something that we cannot read as a command; or nothing at all
    elif name in READERS:
        unknown = _unknown_file(moment.paths, moment, ground) if moment.paths else tool
    elif name in EDITORS:
        unknown = _unknown_file(_edited(moment, name), moment, ground)
    elif name in LISTING or name in SEARCHING:
        unknown = _unknown_place(moment, ground) or unknown_source(moment, ground)
    elif name in SKILLS:
        unknown = _unknown_skill(moment, ground, trust)
    elif name == "toolsearch":
        # What a server says of its own tools is its text: each must be named, and none be a foreign server's.
        names = [one.strip() for one in moment.input.partition("\n")[0].removeprefix("select:").split(",")]
        is_known = all(one.startswith(OURS) or "mcp__" not in one for one in names)
        unknown = "" if moment.input.startswith("select:") and is_known else tool
    return (TOOL, unknown) if unknown else ("", "")


def _is_trusted(tool: str, trust: Trust) -> bool:
    """Whether the user has named a tool, or its server (`mcp__tracker`), or it marks chapters or tasks."""
    from holdfast.hosts.tools import short_name

    if any(one and (one == tool or tool.startswith(f"{one}__")) for one in trust.named):
        return True
    return tool in trust.marking or short_name(tool) in trust.marking


def is_of_ours(given: str) -> bool:
    """Whether resources were asked of our server alone. Without a name all servers are asked."""
    words = given.split("\n")
    others = [word for word in words if not word.startswith("holdfast://") and not word.isdecimal()]
    return bool(others) and set(others) == {"holdfast"}


def _unknown_file(paths: tuple[str, ...], moment: Moment, ground: Ground) -> str:
    return next((path for path in map(ground.at_home, paths) if not ground.has(path, moment.cwd)), "")


def _edited(moment: Moment, name: str) -> tuple[str, ...]:
    """The files of an edit whose text it shows, or goes on with. One that a patch adds is the agent's own."""
    if name not in ("apply_patch", "patch"):
        return moment.paths
    lines = moment.input.split("\n")
    return tuple(line.removeprefix(mark).strip() for line in lines for mark in PATCHED if line.startswith(mark))


def _unknown_place(moment: Moment, ground: Ground) -> str:
    """The folder that a search or a list of names is for, or a pattern that leads elsewhere."""
    for path in map(ground.at_home, moment.paths or (moment.cwd,)):
        if not ground.has_folder(path, moment.cwd) and not ground.has(path, moment.cwd):
            return path
    for line in moment.input.split("\n"):
        is_pattern = "*" in line or "/" in line
        if is_pattern and not line.startswith("!") and " " not in line and is_others(line):
            return line
        if moment.tool.lower() in LISTING and line not in moment.paths and line.startswith(("/", "~", "..")):
            folder = line.partition("*")[0].rpartition("/")[0] or "/"
            if not ground.has_folder(folder, moment.cwd) and not ground.has(line, moment.cwd):
                return line
    return ""


def unknown_source(moment: Moment, ground: Ground) -> str:
    """A file that the answer to a search quotes, and that is not known."""
    sources = sorted(moment.sources[:MOST_SOURCES])
    there = (path for path in sources if is_there(ground.whole(path, moment.cwd)))
    return next((path for path in there if not ground.has(path, moment.cwd)), "")


def _unknown_skill(moment: Moment, ground: Ground, trust: Trust) -> str:
    """A skill or command that the project or the user keeps is theirs; one that a plugin brought is somebody else's."""
    name = moment.input.partition("\n")[0].strip().lstrip("/").partition(" ")[0]
    if not name or ".." in name:
        return moment.tool
    if name in trust.named or name.partition(":")[0] in trust.named:
        return ""
    inner = name.replace(":", "/")
    ends = (f"skills/{inner}/SKILL.md", f"commands/{inner}.md")
    if any(ground.has(f"{ground.root}/.claude/{end}", "/") for end in ends):
        return ""
    if ground.home and ":" not in name and any(is_there(f"{ground.home}/.claude/{end}") for end in ends):
        return ""
    return f"{moment.tool} {name}"
