"""A command line brings in nothing but known text where all of its programs are known, and so is what they read.

Every wrapper is looked through (`env`, `sudo`, `xargs`, `sh -c`, `find -exec`, substitutions, loops); where a line
cannot be looked through, a program is unknown, or a file is nobody's that we know, it brings outside text. The answer
names the first such thing, so that a person can be told what it was. Files that a known line writes are gathered:
they are the agent's own from then on.
"""

from __future__ import annotations

import posix

from holdfast.capture import gitfiles, platform
from holdfast.taint import known_programs as programs
from holdfast.taint.known_text import kind_of
from holdfast.text.shell_simple import ANY, ONE, SET, SETTERS, UNKNOWN, Simple, Unreadable, plain_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.taint.known_text import Ground

WEB, TOOL = "web", "tool"
DEEPEST = 4
GLOBS = (ANY, ONE, SET)
SYSTEM = ("/usr/bin/", "/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/")
INSTALLED = (".venv/bin/", "venv/bin/", "node_modules/.bin/")
OURS = ("/.local/bin/", "/share/holdfast/")  # where our own command is put
ADDRESS = "://"
MOST_NAMES = 2000  # of a folder in which a pattern is looked up


class Outside(Exception):
    """This part of a line brings in text that nobody here wrote."""

    def __init__(self, cause: str, origin: str = TOOL) -> None:
        super().__init__(cause)
        self.cause, self.origin = cause, origin


def judge(command: str, at: str, ground: Ground, trusted: Sequence[str] = ()) -> tuple[str, str, list[str]]:
    """The origin of what a line brings in, what brings it, and the files that it wrote; "" where all of it is known."""
    line = Line(at, ground, frozenset(trusted))
    try:
        line.read(command, 0)
        return "", "", line.written
    except Outside as found:
        cause, origin = found.cause, found.origin
    except (Unreadable, RecursionError):
        cause, origin = command, TOOL
    plain = " ".join(cause.translate({1: "…", 2: "*", 3: "?", 4: "["}).split())
    return (WEB if programs.speaks_of_the_web(command) else origin), plain or "a line that cannot be read", []


class Line:
    """A line while it is read: the folder that it has gone to, and the files that it has written so far."""

    def __init__(self, at: str, ground: Ground, trusted: frozenset[str]) -> None:
        self.at, self.ground, self.trusted = at, ground, trusted
        self.stack: list[str] = []
        self.written: list[str] = []
        self.depth = 0

    def read(self, text: str, depth: int) -> None:
        if depth > DEEPEST:
            raise Unreadable
        before, self.depth = self.depth, depth
        plain = plain_commands(text)
        for words in plain:
            self.command(words, Simple())
        if not plain:
            from holdfast.text.shell_reader import Reader

            known = {"PWD": [self.at], **({"HOME": [self.ground.home]} if self.ground.home else {})}
            Reader(text, self._take, lambda: self.stack.append(self.at), self._leave, known).read()
        self.depth = before

    def _leave(self) -> None:
        self.at = self.stack.pop()

    def _take(self, one: Simple) -> None:
        for path in one.inputs:
            self.file(path)
        for name, value in one.settings:
            self.setting(name, value)
        if one.words:
            self.command(one.words, one)
        for path in one.outputs:
            self.wrote(path)

    # --- files

    def file(self, path: str) -> None:
        """Raises Outside where a file that is read is not known. Of a folder nothing is read."""
        for found in self.matches(path):
            is_folder = kind_of(self.ground.whole(found, self.at)) == platform.A_FOLDER
            if not self.has(found) and not (is_folder and self.ground.has_folder(found, self.at)):
                raise Outside(path)

    def has(self, path: str) -> bool:
        return self.ground.whole(path, self.at) in self.written or self.ground.has(path, self.at)

    def folder(self, path: str) -> None:
        for found in self.matches(path):
            if not self.has(found) and not self.ground.has_folder(found, self.at):
                raise Outside(path)

    def matches(self, path: str) -> list[str]:
        """The files that a word means. A pattern is looked up where only its last part is one."""
        if UNKNOWN in path or "\n" in path:
            raise Outside(path)
        if not any(sign in path for sign in GLOBS):
            return [path]
        folder, _, last = path.rpartition("/")
        if any(sign in folder for sign in GLOBS) or SET in last:
            raise Outside(path)
        try:
            names = posix.listdir(gitfiles.resolve(self.at, folder or "."))
        except (OSError, ValueError):
            return []
        if len(names) > MOST_NAMES:
            raise Outside(path)
        is_hidden = last.startswith(".")
        found = [name for name in names if fits(name, last) and (is_hidden or not name.startswith("."))]
        return [f"{folder}/{name}" if folder or path.startswith("/") else name for name in found]

    def wrote(self, path: str) -> None:
        if UNKNOWN in path or any(sign in path for sign in GLOBS) or path.startswith("/dev/"):
            return
        self.written.append(self.ground.whole(path, self.at))

    # --- commands

    def setting(self, name: str, value: str) -> None:
        """Raises Outside where a setting could change what runs."""
        is_steering = name in programs.STEERING or name.startswith(("LD_", "DYLD_", "BASH_FUNC", "npm_config_", "PIP_"))
        is_gits = name.startswith("GIT_") and not name.startswith(programs.GIT_SETTINGS)
        if not is_steering and not is_gits:
            return
        if value in programs.HARMLESS.get(name, ()) or (name == "NODE_OPTIONS" and value.startswith("--max")):
            return
        if name in programs.PLACES:
            parts = [part for part in value.split(":") if part not in ("", UNKNOWN)]
            if all(UNKNOWN not in part and not self.ground.is_elsewhere(part, self.at) for part in parts):
                return
        raise Outside(f"{name}={value}")

    def command(self, words: list[str], one: Simple) -> None:
        """Raises Outside where a command is unknown, or reads what is not known."""
        if UNKNOWN in words[0] or any(sign in words[0] for sign in GLOBS):
            raise Outside(" ".join(words))
        name = self._name(words[0])
        rest = words[1:]
        if name in self.trusted:
            return
        if name in programs.STARTERS:
            self._started(name, rest, one)
        elif name in programs.SHELLS or name == "eval":
            self._shell(name, rest, one)
        elif name in (".", "source"):
            path = rest[0] if rest else UNKNOWN
            if not path.endswith(tuple(f"{one}activate" for one in INSTALLED)):
                self.script(path)
        elif name in programs.PIPED_NAMES:
            self._piped(rest, one)
        elif name == "git":
            self._git(rest)
        elif name in SETTERS:
            for word in rest:
                if "=" in word:
                    self.setting(*word.split("=", 1))
        elif name != "holdfast":
            from holdfast.taint import program_calls

            program_calls.look(self, name, rest, one)

    def _name(self, program: str) -> str:
        """A program's own name where its place says nothing else; a script of the tree keeps its path."""
        folder, slash, name = program.rpartition("/")
        if not slash:
            return program
        place = f"{folder}/"
        is_usual = place in SYSTEM or any(place == one or place.endswith(f"/{one}") for one in INSTALLED)
        is_ours = name == "holdfast" and place.startswith("/") and place.endswith(OURS)
        return name if is_usual or is_ours else program

    def _git(self, rest: list[str]) -> None:
        from holdfast.taint import git_commands

        if not git_commands.is_own(rest, self.at, self.ground):
            is_web = first_word(rest) in ("clone", "fetch", "pull", "ls-remote", "submodule", "lfs")
            raise Outside(" ".join(("git", *rest[:3])), WEB if is_web else TOOL)

    def _started(self, name: str, rest: list[str], one: Simple) -> None:
        """A command that another one starts, in the place of that one."""
        rest = list(rest)
        if name == "command" and rest[:1] in (["-v"], ["-V"]):
            return
        while rest and (rest[0].startswith("-") or (name in ("env", "sudo") and "=" in rest[0])):
            option = rest.pop(0)
            if option == "--":
                break
            if not option.startswith("-"):
                self.setting(*option.split("=", 1))
            elif option.startswith(("-S", "--split-string", "--chroot", "-i", "-s")) and name in ("env", "sudo"):
                if not (name == "env" and option == "-i"):
                    raise Outside(f"{name} {option}")
            elif option in programs.STARTERS[name]:
                rest[:1] = []
        if name in programs.WITH_NUMBER:
            rest = rest[1:]
        if rest and (name != "watch" or len(rest) > 1):
            self.command(rest, one)
        elif rest:
            self.read(rest[0], self.depth + 1)
        elif name not in ("env", "exec", "time", "command", "builtin"):
            raise Outside(name)

    def _shell(self, name: str, rest: list[str], one: Simple) -> None:
        if name == "eval":
            self._inner(" ".join(rest))
            return
        rest = list(rest)
        while rest and rest[0][:1] in ("-", "+"):
            option = rest.pop(0)
            if option.startswith("-") and not option.startswith("--") and "c" in option[1:]:
                while rest and rest[0].startswith("-"):
                    rest.pop(0)
                self._inner(rest[0] if rest else UNKNOWN)
                return
            if option in ("-o", "+o", "-O"):
                rest[:1] = []
            elif option in ("--rcfile", "--init-file") or (option == "-s" and one.document is None):
                raise Outside(f"{name} {option}")
            elif option in ("--version", "--help"):
                return
        if rest:
            self.script(rest[0])
        elif one.document is not None:
            self._inner(one.document)
        else:
            raise Outside(name)  # it takes its commands from elsewhere

    def _inner(self, text: str) -> None:
        if UNKNOWN in text:
            raise Outside(text)
        self.read(text.translate({ord(ANY): "*", ord(ONE): "?", ord(SET): "["}), self.depth + 1)

    def script(self, path: str) -> None:
        """A script that is run: one of the project's own, or one that the agent wrote and that stays within it."""
        self.file(path)
        from holdfast.taint import inline_code

        if not inline_code.is_script_known(self.ground.whole(path, self.at), self.ground):
            raise Outside(path)

    def _piped(self, rest: list[str], one: Simple) -> None:
        """`xargs` gives the command that it starts names that only the command before it knows."""
        rest = list(rest)
        while rest and rest[0].startswith("-"):
            option = rest.pop(0)
            if option in ("-I", "-n", "-P", "-L", "-d", "-s", "--max-args", "--max-procs", "--delimiter", "--replace"):
                rest[:1] = []
            elif option.startswith(("-a", "--arg-file")):
                raise Outside(f"xargs {option}")
        started = [word for word in rest if word not in ("{}", "%")] or ["echo"]
        names = [] if _lists_own_files(one.before) else [UNKNOWN]
        if names and one.before and one.before.words[:1] == ["find"] and started[0] in programs.SEARCHERS:
            names = ["-r", *starts_of(one.before.words[1:])]  # a search in what it has found
        if self._name(started[0]) in programs.SHELLS:
            raise Outside(" ".join(("xargs", *started)))  # the names are in its script
        self.command([*started, *names], Simple())


def first_word(rest: list[str]) -> str:
    """The first word that is no option: what many programs are told to do."""
    return next((word for word in rest if not word.startswith("-")), "")


def starts_of(words: list[str]) -> list[str]:
    """The folders that `find` begins at."""
    stop = next((at for at, word in enumerate(words) if word.startswith(("-", "(", "!", "\\"))), len(words))
    return words[:stop] or ["."]


def _lists_own_files(before: Simple | None) -> bool:
    """Whether a command prints names of tracked files, or of those in which a search has found something."""
    words = before.words if before else []
    if words and words[0] == "git":
        told = first_word(words[1:])
        if told == "ls-files":
            return not any(word in ("-o", "--others", "-i", "--ignored") for word in words)
        return told in ("diff", "grep") and any(one in words for one in ("--name-only", "-l", "-lz", "-lE"))
    return words[:1] == ["rg"] and any(word in ("-l", "--files-with-matches", "--files") for word in words)


def fits(name: str, pattern: str) -> bool:
    """Whether a shell would put a file's name in the place of a pattern with stars and question marks."""
    at = place = mark = 0
    star = -1
    while at < len(name):
        sign = pattern[place : place + 1]
        if sign == ANY:
            star, mark, place = place, at, place + 1
        elif sign and sign in (ONE, name[at]):
            at, place = at + 1, place + 1
        elif star >= 0:  # the last star takes one letter more
            at, place, mark = mark + 1, star + 1, mark + 1
        else:
            return False
    return not pattern[place:].strip(ANY)
