"""Code that an agent writes into its command line, or into a script of its own: whether it stays within what is known.

Code of the project is the project's. Code that was written a moment ago could fetch anything, so it is looked at: it
may import harmless parts of the standard library and the project's own modules, and open files by names that stand in
it and are known. Any other import, any way to run a program or to build a name while running, and it is unknown.
"""

from __future__ import annotations

from holdfast.capture import platform
from holdfast.model import word_set
from holdfast.text.shell_simple import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.taint.known_text import Ground

PYTHON = ("python", "python2", "python3", "pypy3")
NODE = ("node", "nodejs", "tsx", "ts-node")
NODE_OPTIONS = ("-e", "--eval", "-p", "--print", "-pe")  # that code follows; and those of other interpreters
OTHER_OPTIONS = ("-e", "-E", "-r", "--eval", "-ne", "-pe")
HARMLESS = word_set(
    "__future__ abc ast base64 bisect calendar collections collections.abc copy csv dataclasses datetime decimal "
    "difflib enum fractions functools hashlib heapq html inspect io itertools json keyword math numbers operator "
    "pprint random re statistics string struct sys textwrap time timeit tokenize tomllib traceback types typing "
    "unicodedata uuid warnings zlib contextlib argparse locale os os.path pathlib fileinput linecache"
)
NODES = word_set(
    "assert util path url querystring string_decoder buffer crypto os perf_hooks fs node:assert node:util node:path "
    "node:url node:crypto node:os node:fs"
)
NEVER = word_set(
    "__import__ importlib exec( eval( compile( getattr( globals( vars( __builtins__ __loader__ subprocess popen "
    "system( spawn socket urllib urlopen requests httpx aiohttp ctypes builtins codecs marshal pickle runpy fetch( "
    "XMLHttpRequest WebSocket child_process Function( process.binding import( atob( require.main input( os.environ "
    "listdir scandir walk( glob iterdir /dev/tcp curl wget http:// https:// ftp:// os.read readlink os.exec FileIO "
    "open_code __class__ __globals__ __dict__ __subclasses__ __getattribute__ sys.modules readdir openSync readSync "
    "opendir promises copyFile process.env globalThis fs["
)
HARMLESS_CALLS = (("re.compile(", "re.made("), ("literal_eval(", "literal("))  # end like one of those, and are none
OPENERS = ("open(", "Path(", "readFileSync(", "readFile(", "createReadStream(", "FileInput(", "getline(", "input(")
NAMES = tuple(one.rstrip("(") for one in OPENERS)
PATH_CALLS = ("read_text", "read_bytes", "exists", "stat", "write_text", "is_file", "is_dir", "open", "unlink", "mkdir")
WEB_WORDS = ("urllib", "http", "requests", "socket", "fetch(", "curl", "wget")
LARGEST = 1 << 16


def code_of(name: str, option: str, left: list[str]) -> str | None:
    """The code that an option gives to an interpreter, or None where it gives none."""
    bundled = option[1:] if option.startswith("-") and not option.startswith("--") else ""
    if name in PYTHON:
        if option.startswith("-c") and option != "-c":
            return option[2:]
        is_code = bundled == "c" or (bundled.endswith("c") and bundled[:-1].isalpha())  # -Ic
    elif name in NODE:
        is_code = option in NODE_OPTIONS
    else:
        is_code = option in OTHER_OPTIONS or any(one in bundled for one in "eE")  # -pie, -lane
    return (left[0] if left else UNKNOWN) if is_code else None


def fetches(code: str) -> bool:
    return any(word in code for word in WEB_WORDS)


def is_closed(name: str, code: str, at: str, ground: Ground, written: Sequence[str] = ()) -> bool:
    """Whether code brings in nothing that is not known."""
    if UNKNOWN in code or len(code) > LARGEST or (name not in PYTHON and name not in NODE):
        return False
    for call, harmless in HARMLESS_CALLS:
        code = code.replace(call, harmless)
    if any(word in code for word in NEVER) or _is_renamed(code):
        return False
    if name in PYTHON:
        is_known = all(one in HARMLESS or ground.has_module(one, at) for one in _imports(code))
    else:
        ends = ("", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js")
        parts = [one for one in _requires(code) if one not in NODES]
        is_known = all(one[:1] == "." and any(ground.has(f"{one}{end}", at) for end in ends) for one in parts)
    opened = list(_opened(code)) if is_known else [None]
    return all(one is not None and (ground.whole(one, at) in written or ground.has(one, at)) for one in opened)


def is_script_known(whole: str, ground: Ground) -> bool:
    """Whether a script may be run: git tracks it, or the agent wrote it and its code stays within what is known."""
    if ground.is_tracked(whole):
        return True
    try:
        text = platform.read_regular(whole, LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return False
    first = text.partition("\n")[0]
    folder = whole.rpartition("/")[0] or "/"
    if whole.endswith(".py") or "python" in first:
        return is_closed("python", text, folder, ground) or is_closed("python", text, ground.root, ground)
    if whole.endswith((".js", ".mjs", ".cjs", ".ts")) or "node" in first:
        return is_closed("node", text, folder, ground)
    if whole.endswith((".sh", ".bash")) or first.endswith(("sh", "bash")):
        from holdfast.taint import command_line

        return not command_line.judge(text, ground.root, ground)[0]
    return False


def _imports(code: str) -> Iterator[str]:
    for raw in code.replace(";", "\n").replace(":", ":\n").split("\n"):
        words = raw.strip().split()
        if words[:1] == ["from"] and len(words) > 2:
            yield words[1]
        elif "import" in words:
            listed = " ".join(words[words.index("import") + 1 :])
            for one in listed.split(","):
                yield one.strip().partition(" ")[0]


def _requires(code: str) -> Iterator[str]:
    for word in ("require(", "import ", "from "):
        for part in code.split(word)[1:]:
            sign = part.lstrip()[:1]
            if sign in ("'", '"', "`"):
                yield part.lstrip()[1:].partition(sign)[0]
            elif word == "require(":
                yield UNKNOWN


def _opened(code: str) -> Iterator[str | None]:
    """The files that code opens, by the names that stand in it; None for one whose name is made while it runs."""
    for opener in OPENERS:
        for part in code.split(opener)[1:]:
            sign = part[:1]
            if sign not in ("'", '"') or part[:3] == sign * 3:
                yield None
                continue
            inside, _, behind = part[1:].partition(sign)
            is_plain = bool(inside) and "\\" not in inside and behind.lstrip()[:1] in (",", ")")
            if opener == "Path(":
                is_plain = is_plain and behind.startswith(tuple(f").{one}(" for one in PATH_CALLS))
            yield inside if is_plain else None


def _is_renamed(code: str) -> bool:
    """Whether a way to open files is passed on under another name, where its calls are not seen."""
    for name in NAMES:
        for at in (at for at in range(len(code)) if code.startswith(name, at)):
            behind = code[at + len(name) :].lstrip(" ")[:1]
            before = code[max(0, at - 24) : at]
            beside = (code[at - 1 : at] if at else "", code[at + len(name) : at + len(name) + 1])
            is_part = any(one.isalnum() or one == "_" for one in beside)
            if not is_part and behind != "(" and not (behind in ("\n", ";", "", ",") and "import" in before):
                return True
    return False
