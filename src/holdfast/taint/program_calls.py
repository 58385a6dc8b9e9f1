"""One program with its words: its output is known where the program is, and so is all that it reads.

How each kind of program reads its words is decided here and in filters; known_programs says which is of which kind.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.taint import known_programs as programs
from holdfast.taint.command_line import ADDRESS, TOOL, WEB, Outside, first_word, starts_of
from holdfast.taint.known_text import is_there, kind_of
from holdfast.text.shell_simple import UNKNOWN, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from holdfast.taint.command_line import Line

FINDS_RUN = ("-exec", "-execdir", "-ok", "-okdir")
STEERS = frozenset((("printf", "-v"), ("hash", "-p"), ("date", "-f"), ("date", "--file")))  # read, or set what runs
LOADING = ("-r", "--require", "--import", "--loader", "--experimental-loader", "-pr")
EVALUATING = frozenset(("mix", "bun", "swift", "dart", "stack", "rails", "deno", "make", "gmake"))
MOST_FILES = 500  # of a folder that is copied
MAKES = ("make", "gmake")
ISOLATED = ("-p", "--package", "--with", "--from", "--python", "-c", "--call", "--with-requirements", "-f")
FILE_OPTIONS = ("--file", "--files0-from", "--from-file", "--to-file")


def look(line: Line, name: str, rest: list[str], one: Simple) -> None:
    """Raises Outside where the program is unknown, or reads what is not known."""
    is_told = first_word(rest) in programs.SUBCOMMANDS.get(name, ())
    if name in programs.RUNS and _runs(line, name, rest, one):
        return
    if name in programs.QUIET:
        _quiet(line, name, rest)
    elif name in programs.LISTERS:
        _listing(line, name, rest)
    elif name in programs.SEARCHERS:
        _filters().search(line, name, rest)
    elif name in programs.READERS:
        for path in operands(name, rest):
            line.file(path)
    elif name in programs.FILTERS:
        _filters().filtered(line, name, rest)
    elif name in programs.PLACERS:
        _placing(line, rest)
    elif name in programs.INTERPRETERS and not is_told:
        _interpreter(line, name, rest, one)
    elif name in programs.RUNNERS or is_told:
        _told_runner(line, name, rest)
    elif "/" in name:
        line.script(name)  # of the tree, or one that the agent wrote
        _runner(line, rest)
    elif name not in programs.SUBCOMMANDS or rest not in (["--version"], ["-v"], ["version"]):
        is_web = name in programs.WEB or any(ADDRESS in word for word in rest)
        raise Outside(" ".join((name, *rest[:2])), WEB if is_web else TOOL)


def _filters() -> ModuleType:
    from holdfast.taint import filters

    return filters


def operands(name: str, rest: list[str]) -> list[str]:
    """The words that are no options, nor the values of such."""
    valued = programs.VALUED.get(name, ())
    found: list[str] = []
    left = list(rest)
    while left:
        word = left.pop(0)
        option, _, value = word.partition("=")
        if word == "--":
            return [*found, *left]
        if word in valued:
            left[:1] = []
        elif option in FILE_OPTIONS and value:
            found.append(value)
        elif word != "-" and not word.startswith("-"):
            found.append(word)
    return found


def _quiet(line: Line, name: str, rest: list[str]) -> None:
    named = [word for word in rest if not word.startswith("-")]
    option = rest[0].partition("=")[0] if rest else ""
    if (name, option) in STEERS:
        raise Outside(f"{name} {option}")
    if name in ("cd", "pushd", "popd"):
        folder = UNKNOWN if name == "popd" or "-" in rest else (*named, line.ground.home or UNKNOWN)[0]
        line.at = f"/{UNKNOWN}" if UNKNOWN in folder else line.ground.whole(folder, line.at)
    elif name == "mkdir" or (name == "tee" and "-a" not in rest and "--append" not in rest):
        for word in named:
            line.wrote(word)
    elif name in ("touch", "truncate"):
        for word in named:
            if UNKNOWN not in word and _size(line.ground.whole(word, line.at)) == 0:
                line.wrote(word)  # one that has text had it before


def _size(path: str) -> int:
    """The size of a file; -1 where there is none."""
    return posix.stat(path).st_size if kind_of(path) == platform.A_FILE else -1


def _listing(line: Line, name: str, rest: list[str]) -> None:
    if name == "find":
        _find(line, rest)
        return
    if any(word.startswith(("--files0-from", "--fromfile", "-x", "-X", "--exec")) for word in rest):
        raise Outside(" ".join((name, *rest[:2])))
    named = operands(name, rest)
    for path in (named[1:] if name in ("fd", "fdfind") else named) or ["."]:
        line.folder(path)


def _find(line: Line, rest: list[str]) -> None:
    starts = starts_of(rest)
    for path in starts:
        line.folder(path)
    if any(word.startswith(("-fprint", "-fls", "-files0")) for word in rest):
        raise Outside("find -fprint")
    for at, word in enumerate(rest):
        if word not in FINDS_RUN:
            continue
        inner = rest[at + 1 :]
        stop = next((place for place, one in enumerate(inner) if one in (";", "+")), len(inner))
        given = [UNKNOWN if "{}" in one else one for one in inner[:stop]] or [UNKNOWN]
        if given[0] in programs.SEARCHERS:
            given = [given[0], "-r", *(one for one in given[1:] if one != UNKNOWN), *starts]
        line.command(given, Simple())


def _placing(line: Line, rest: list[str]) -> None:
    """cp, mv, ln: what is put into the tree must be known, or it would be taken for the tree's own."""
    named = [word for word in rest if not word.startswith("-")]
    if any(word.startswith(("-t", "--target-directory", "-e", "--rsh", "--files-from")) for word in rest):
        raise Outside(" ".join(rest[:3]))
    if any(":" in word for word in named):
        raise Outside(" ".join(named))
    for path in named[:-1]:
        for found in line.matches(path):
            if not _holds_known(line, line.ground.whole(found, line.at)):
                raise Outside(path)
        line.wrote(f"{named[-1]}/{path.rstrip('/').rpartition('/')[2]}")
    for path in named[-1:]:
        line.wrote(path)


def _holds_known(line: Line, whole: str) -> bool:
    """Whether a file is known, or each file below a folder; one with very many is not looked through."""
    waiting, seen = [whole], 0
    while waiting:
        one = waiting.pop()
        seen += 1
        try:
            waiting += [f"{one}/{name}" for name in posix.listdir(one) if name not in (".git", "__pycache__")]
        except (OSError, ValueError):
            if seen > MOST_FILES or not line.has(one):
                return False
    return True


def _interpreter(line: Line, name: str, rest: list[str], one: Simple) -> None:
    from holdfast.taint import inline_code

    left = list(rest)
    if rest in (["--version"], ["-V"], ["-v"], ["-VV"]):
        return
    while left and left[0].startswith("-") and left[0] != "-":
        option = left.pop(0)
        code = inline_code.code_of(name, option, left)
        if code is not None:
            _code(line, name, code)
            return
        if option == "-m" and name in inline_code.PYTHON:
            _module(line, left, one)
            return
        if option in ("-W", "-X"):
            left[:1] = []
        elif option.partition("=")[0] in LOADING:
            raise Outside(f"{name} {option}")
    if not left or left[0] == "-":
        _code(line, name, one.document if one.document is not None else UNKNOWN)
    else:
        line.script(left[0])
        _runner(line, left[1:])


def _code(line: Line, name: str, code: str) -> None:
    from holdfast.taint import inline_code

    if not inline_code.is_closed(name, code, line.at, line.ground, line.written):
        raise Outside(f"{name} {code}", WEB if inline_code.fetches(code) else TOOL)


def _module(line: Line, left: list[str], one: Simple) -> None:
    module = left[0] if left else ""
    if module == "json.tool":
        for path in operands(module, left[1:])[:1]:
            line.file(path)
    elif module in ("pip", "pip3"):
        look(line, "pip", left[1:], one)
    elif module in programs.MODULES or line.ground.has_module(module, line.at):
        _runner(line, left[1:])
    elif module != "holdfast":
        raise Outside(f"python -m {module}")


def _told_runner(line: Line, name: str, rest: list[str]) -> None:
    """A runner, where no word of its line has it run something else than the project."""
    for at, word in enumerate(rest):
        option, _, setting = word.partition("=")
        is_code = name in EVALUATING and option in ("-e", "--eval", "-E", "--rpc-eval")
        is_piped = option in ("-f", "--file", "--makefile") and rest[at + 1 : at + 2] in (["-"], ["/dev/stdin"])
        is_remote = name in ("deno", "bun") and word.startswith(("npm:", "jsr:"))
        is_package = name == "go" and "." in word.partition("/")[0] and not word.startswith(("-", "."))
        is_package = is_package and _size(line.ground.whole(word, line.at)) < 0
        if is_code or is_piped or is_remote or is_package or (name in MAKES and "$(" in word):
            raise Outside(" ".join((name, *rest[:2])))
        if name in MAKES and setting and option.isidentifier():
            line.setting(option, setting)
    _runner(line, rest)


def _runner(line: Line, rest: list[str]) -> None:
    """A program that runs the project's own code, and is given nothing from elsewhere."""
    left = list(rest)
    while left:
        word = left.pop(0)
        option, equals, value = word.partition("=")
        if ADDRESS in word:
            raise Outside(word, WEB)
        if word.startswith("-"):
            is_output = option in programs.OUTPUT_OPTIONS
            if is_output and not equals:
                left[:1] = []
            elif equals and not is_output and _is_path(value) and line.ground.is_elsewhere(value, line.at):
                raise Outside(word)
        elif UNKNOWN not in word and _is_unknown(line, word.partition("::")[0]):
            raise Outside(word)


def _is_path(word: str) -> bool:
    return "/" in word or word in (".", "..") or word.startswith("~")


def _is_unknown(line: Line, path: str) -> bool:
    """Whether a word names a file that is not known, or a folder that is not the tree's."""
    for found in line.matches(path):
        whole = line.ground.whole(found, line.at)
        if not _is_path(found) and _size(whole) < 0:
            continue  # a target, a name
        if line.has(found) or (_is_path(found) and line.ground.has_folder(found, line.at)):
            continue
        if _size(whole) >= 0 or (_is_path(found) and (line.ground.is_elsewhere(found, line.at) or is_there(whole))):
            return True
    return False


def _runs(line: Line, name: str, rest: list[str], one: Simple) -> bool:
    """`uv run x`, `npx x`: x in its place. False where it is told something else."""
    wanted = programs.RUNS[name]
    left = list(rest)
    if "*" not in wanted:
        while left and left[0].startswith("-"):
            left.pop(0)
        if not left or left.pop(0) not in wanted:
            return False
    while left and left[0].startswith("-"):
        option = left.pop(0)
        if option.partition("=")[0] in ISOLATED:
            raise Outside(f"{name} {option}")
    while left and name == "cross-env" and "=" in left[0]:
        line.setting(*left.pop(0).split("=", 1))
    program = left[0] if left else "@"
    is_known = program in programs.RUNNERS or program in programs.INTERPRETERS or "/" in program
    if "@" in program or not (is_known or name in ("uv", "poetry", "cross-env")):
        raise Outside(" ".join((name, *rest[:2])))
    line.command(left, one)
    return True
