"""Whether a command line brings in nothing but known text: all of its programs are known, and so is what they read.

Every wrapper is looked through (`env`, `sudo`, `xargs`, `sh -c`, `find -exec`, substitutions, loops); where a line
cannot be looked through, a program is unknown, or a file is nobody's that we know, it brings outside text. The answer
names the first such thing, so that a person can be told what it was. Files that a known line writes are gathered:
they are the agent's own from then on.
"""

from __future__ import annotations

import posix

from holdfast.capture import gitfiles
from holdfast.taint import programs
from holdfast.text.shell_glance import ANY, ONE, SET, SETTERS, UNKNOWN, Simple, Unreadable, plain_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.taint.text import Ground


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
        self.cause = cause
        self.origin = origin


def judge(command: str, at: str, ground: Ground, trusted: Sequence[str] = ()) -> tuple[str, str, list[str]]:
    """The origin of what a line brings in, what brings it, and the files that it wrote; "" where all of it is known."""
    line = Line(at, ground, frozenset(trusted))
    try:
        line.read(command, 0)
    except Outside as found:
        return (WEB if programs.speaks_of_the_web(command) else found.origin), _plain(found.cause), []
    except (Unreadable, RecursionError):
        return (WEB if programs.speaks_of_the_web(command) else TOOL), _plain(command), []
    return "", "", line.written


def _plain(cause: str) -> str:
    return " ".join(cause.translate({1: "…", 2: "*", 3: "?", 4: "["}).split()) or "a line that cannot be read"


class Line:
    """A line while it is read: the folder that it has gone to, and the files that it has written so far."""

    def __init__(self, at: str, ground: Ground, trusted: frozenset[str]) -> None:
        self.at = at
        self.ground = ground
        self.trusted = trusted
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
            self._read_whole(text)
        self.depth = before

    def _read_whole(self, text: str) -> None:
        from holdfast.text.shell_reading import Reader

        known = {"PWD": [self.at]}
        if self.ground.home:
            known["HOME"] = [self.ground.home]
        Reader(text, self._take, lambda: self.stack.append(self.at), self._leave, known).read()

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
            if not self.has(found) and not self._is_own_folder(found):
                raise Outside(path)

    def _is_own_folder(self, path: str) -> bool:
        try:
            mode = posix.stat(self.ground.whole(path, self.at)).st_mode
        except (OSError, ValueError):
            return False
        return mode & 0o170000 == 0o040000 and self.ground.has_folder(path, self.at)

    def has(self, path: str) -> bool:
        whole = self.ground.whole(path, self.at)
        return whole in self.written or self.ground.has(path, self.at)

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
            self._sourced(rest)
        elif name in programs.PIPED_NAMES:
            self._piped(rest, one)
        elif name == "git":
            self._git(rest)
        elif name in SETTERS:
            for word in rest:
                if "=" in word:
                    self.setting(*word.split("=", 1))
        elif name == "holdfast":
            return
        else:
            from holdfast.taint import calls

            calls.look(self, name, rest, one)

    def _name(self, program: str) -> str:
        """A program's own name where its place says nothing else; a script of the tree keeps its path."""
        folder, slash, name = program.rpartition("/")
        if not slash:
            return program
        place = f"{folder}/"
        if place in SYSTEM or any(place == one or place.endswith(f"/{one}") for one in INSTALLED):
            return name
        if name == "holdfast" and place.startswith("/") and place.endswith(OURS):
            return name
        return program

    def _started(self, name: str, rest: list[str], one: Simple) -> None:
        """What a starter starts, in its place."""
        valued = programs.STARTERS[name]
        rest = list(rest)
        if name == "command" and rest[:1] and rest[0] in ("-v", "-V"):
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
            elif option in valued:
                rest[:1] = []
        if name in programs.WITH_NUMBER:
            rest = rest[1:]
        if rest and (name != "watch" or len(rest) > 1):
            self.command(rest, one)
        elif rest:
            self.read(rest[0], self.depth + 1)
        elif name in ("env", "exec", "time", "command", "builtin"):
            return
        else:
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
        plain = text.translate({ord(ANY): "*", ord(ONE): "?", ord(SET): "["})
        self.read(plain, self.depth + 1)

    def script(self, path: str) -> None:
        """A script that is run: one of the project's own, or one that the agent wrote and that stays within it."""
        self.file(path)
        from holdfast.taint import code

        if not code.is_script_known(self.ground.whole(path, self.at), self.ground):
            raise Outside(path)

    def _sourced(self, rest: list[str]) -> None:
        path = rest[0] if rest else UNKNOWN
        if path.endswith(tuple(f"{one}activate" for one in INSTALLED)):
            return
        self.script(path)

    def _piped(self, rest: list[str], one: Simple) -> None:
        """`xargs`: what it starts is given names that only the command before it knows."""
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

    def _git(self, rest: list[str]) -> None:
        from holdfast.taint import git

        if not git.is_own(rest, self.at, self.ground):
            told = next((word for word in rest if not word.startswith("-")), "")
            is_web = told in ("clone", "fetch", "pull", "ls-remote", "submodule", "lfs")
            raise Outside(" ".join(("git", *rest[:3])), WEB if is_web else TOOL)


def starts_of(words: list[str]) -> list[str]:
    """The folders that `find` begins at."""
    found = []
    for word in words:
        if word.startswith(("-", "(", "!", "\\")):
            break
        found.append(word)
    return found or ["."]


def _lists_own_files(before: Simple | None) -> bool:
    """Whether a command prints names of tracked files, or of those in which a search has found something."""
    words = before.words if before else []
    if words and words[0] == "git":
        told = [word for word in words[1:] if not word.startswith("-")][:1]
        if told == ["ls-files"]:
            return not any(word in ("-o", "--others", "-i", "--ignored") for word in words)
        return told in (["diff"], ["grep"]) and any(one in words for one in ("--name-only", "-l", "-lz", "-lE"))
    return words[:1] == ["rg"] and any(word in ("-l", "--files-with-matches", "--files") for word in words)


def fits(name: str, pattern: str) -> bool:
    """Whether a file's name is one that a shell would put in the place of a pattern with stars and question marks."""
    parts = pattern.split(ANY)
    if len(parts) == 1:
        return len(name) == len(pattern) and _fits(name, pattern)
    begin, end = parts[0], parts[-1]
    if len(name) < len(begin) + len(end) or not _fits(name, begin) or (end and not _fits(name[-len(end) :], end)):
        return False
    at, stop = len(begin), len(name) - len(end)
    for part in parts[1:-1]:
        while at + len(part) <= stop and not _fits(name[at:], part):
            at += 1
        if at + len(part) > stop:
            return False
        at += len(part)
    return True


def _fits(text: str, part: str) -> bool:
    return len(text) >= len(part) and all(two in (ONE, one) for one, two in zip(text, part, strict=False))
