"""The effects of a tool call, read from its input: commands run, files written or removed, text changed.

Armed notes ask for effects and not for words, because a file that must not be edited may be read, and because one
command has many spellings: `git -C x push -f`, `sudo env A=1 git push --force`, `cd a && git push origin +main`. What
a call does inside a script of its own is not seen. Nothing here runs unless a note might match.
"""

from __future__ import annotations

from holdfast.hosts.tools import PATCH, PATCH_LINES
from holdfast.model import value, word_set
from holdfast.text import shell_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.model import Moment

WRITERS = word_set(
    "edit write multiedit notebookedit apply_patch write_file replace create_file edit_file update_file delete_file "
    "move_file str_replace_editor str_replace_based_edit_tool create patch"
)
OPENERS = word_set("read notebookread read_file view open_file read_text_file")
PRINTERS = word_set("cat head tail less more bat strings xxd hexdump od nl tac source .")
REMOVERS = word_set("rm rmdir unlink shred trash git-rm")
MOVERS = word_set("mv git-mv")
MAKERS = word_set(
    "touch truncate tee mkdir chmod chown chgrp git-checkout git-restore git-clean patch dos2unix unix2dos sponge gzip"
)
PLACERS = word_set("cp rsync install ln scp")
IN_PLACE = word_set("sed gsed perl ruby yq gawk clang-format autopep8")
WITHOUT_SCRIPT = word_set("yq clang-format autopep8")  # of those: all their words are files
FORMATTERS = {  # that write, and the options without which they only look
    "prettier": ("--write", "-w"),
    "gofmt": ("-w",),
    **dict.fromkeys(("eslint", "ruff-check"), ("--fix",)),
    **dict.fromkeys(("black", "isort", "rustfmt", "ruff-format", "terraform-fmt"), ()),
}
INTERPRETERS = word_set("python node ruby perl php deno bun")
WRITING = ("write", "'w'", '"w"', "'a'", '"a"', "unlink", "remove", "rename", "rmtree", "dump(", "copy")
LOOKERS = PRINTERS | word_set(
    "grep egrep fgrep rg ag ls find wc diff cmp stat file du df tree which type printenv awk jq sort uniq cut tr test "
    "[ echo printf true false sleep cd pwd ps man help git-log git-diff git-show git-grep git-blame git-status "
    "git-commit git-tag gh-pr gh-issue holdfast"
)
FINDING = ("-delete", "-exec", "-execdir", "-ok")
RUNNERS = word_set("npx bunx uvx pnpx tsx")
RUNS = word_set(
    "uv-run poetry-run pdm-run pipenv-run hatch-run pipx-run npm-exec pnpm-exec pnpm-dlx yarn-exec yarn-dlx "
    "bundle-exec mise-exec direnv-exec"
)
SAME_PROGRAM = {"pip3": "pip", "python3": "python", "python2": "python", "nodejs": "node"}
SAME_WORD = {  # by program: one thing it does under its other names
    "npm": {"i": "install", "add": "install", "isntall": "install", "un": "uninstall", "rm": "uninstall", "t": "test"},
    "pnpm": {"i": "install", "un": "remove", "uninstall": "remove"},
    "git": {"ci": "commit", "co": "checkout", "stage": "add"},
}
SAME_OPTION = {  # by command: one option under its other names; the rest is told from first letters
    "jest -u": ("--updatesnapshot", "--update-snapshot"),
    "git push --force": ("--force-with-lease", "--mirror"),
    "npm install -g": ("--global",),
}
SIGNS = {"--force": "+", "--delete": ":"}  # of a ref that is pushed
HARMLESS = word_set("--abort --continue --skip --quit --help --version --dry-run")
PACKAGING = word_set("install i add uninstall remove rm un update up upgrade get require download reinstall link")
MANAGERS = word_set(
    "npm pnpm yarn bun deno pip uv poetry pdm pipenv pipx conda mamba cargo go gem bundle composer apt apt-get brew "
    "dnf yum apk dotnet pacman"
)
MANIFESTS = word_set(
    "package.json pyproject.toml cargo.toml go.mod gemfile composer.json pipfile setup.py setup.cfg environment.yml "
    "environment.yaml build.gradle build.gradle.kts pom.xml deno.json"
)
IMPORTS = ("import ", "from ", "use ", "require", "extern crate ", "#include", "using ", "@import", "export ")

GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
MOST = 200  # commands and paths of one call that are looked at


@value
class Effects:
    """`commands` have the program's own name first; paths are as far as the call and its folder say. `text` is what is
    written or set: lines of an edit, and the words of commands that do not only look; `gone` are the lines that an edit
    takes away."""

    commands: tuple[tuple[str, ...], ...] = ()
    writes: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    text: str = ""
    gone: str = ""
    cwd: str = ""


def of(moment: Moment) -> Effects:
    """The effects of a call as far as its input tells them."""
    if moment.command:
        return _Line(moment.cwd).read(moment.command)
    name = moment.tool.rpartition("__")[2].lower()
    paths = tuple(join(moment.cwd, path) for path in moment.paths)
    if name in WRITERS:
        fresh, gone = moment.lines or ("", "")
        return Effects(writes=paths, opens=paths, text=fresh, gone=gone, cwd=moment.cwd)
    return Effects(opens=paths if name in OPENERS else (), cwd=moment.cwd)


def join(folder: str, path: str) -> str:
    """A path as it is meant in a folder; `~` stays a part, since a home may be anywhere."""
    return path if path.startswith(("/", "~")) or not folder else f"{folder}/{path}"


class _Line:
    """A command line while it is read: the folder that it has gone to, and what was found so far."""

    def __init__(self, cwd: str) -> None:
        self.cwd = self.here = cwd
        self.commands: list[tuple[str, ...]] = []
        self.writes: list[str] = []
        self.removes: list[str] = []
        self.opens: list[str] = []
        self.text: list[str] = []

    def read(self, line: str) -> Effects:
        self._take(line, 0)
        if PATCH in line:
            lines = line.splitlines()
            files = [text.removeprefix(mark).strip() for text in lines for mark in PATCH_LINES if text.startswith(mark)]
            self.writes += [join(self.here, one) for one in files]
            self.text += [text[1:] for text in lines if text[:1] in ("+", "-")]
        paths = (self.writes, self.removes, [*self.opens, *self.writes])
        writes, removes, opens = (tuple(one[:MOST]) for one in paths)
        return Effects(tuple(self.commands[:MOST]), writes, removes, opens, "\n".join(self.text), cwd=self.cwd)

    def _take(self, line: str, depth: int) -> None:
        targets: list[str] = []
        for words in shell_programs.split(line, targets):
            bare = shell_programs.without_starters(words)
            for at, word in enumerate(words[: len(words) - len(bare)]):
                if word == "sudo":
                    self.commands.append(("sudo", *words[at + 1 :]))
            into = self._written(targets)
            inner = [list(one) for one in unwrapped(bare)]
            for one in inner:
                self._command(one, line)
            names = {_named(one) for one in inner} or {""}
            if not names <= LOOKERS or into:
                self.text.append(" ".join(words))
            nested = _told(bare) if depth < shell_programs.DEEPEST else ""
            if nested:
                self._take(nested, depth + 1)
        self._written(targets)

    def _written(self, targets: list[str]) -> list[str]:
        """The files that redirections have written to so far."""
        into = [join(self.here, one) for one in targets if one not in NOWHERE and not one.isdecimal()]
        targets.clear()
        self.writes += into
        return into

    def _command(self, words: list[str], line: str) -> None:
        self.commands.append(tuple(words))
        program, args = words[0], words[1:]
        plain = [one for one in args if one and not one.startswith("-")]
        if program in ("cd", "pushd"):
            self.here = join(self.here, plain[0]) if plain else self.here
            return
        name = _named(words)
        told = plain[:1] if name != program else []  # `git rm`: its first word is no file
        at = [join(self.here, one) for one in plain[len(told) :]]
        if name in REMOVERS:
            self.removes += at
            self.writes += at
        elif name in MOVERS:
            self.removes += at[:-1]
            self.writes += [*at, *_placed(at)]
        elif name in PLACERS:
            self.writes += [*at[-1:], *_placed(at)]
            self.opens += at[:-1]
        elif name in MAKERS or _is_formatting(name, args):
            self.writes += at
        elif name in IN_PLACE and _is_in_place(program, args):
            options = [one.partition("=")[0] for one in args]
            has_script = any(one in ("-e", "-f", "--expression", "--file") for one in options)
            self.writes += at if has_script or program in WITHOUT_SCRIPT else at[1:]
        elif name == "find" and any(one in FINDING for one in args):
            self._find(args)
        elif program in INTERPRETERS and any(mark in line for mark in WRITING):
            is_inline = any(one in ("-c", "-e", "--eval", "-") for one in args) or (not args and "<<" in line)
            self.writes += [join(self.here, one) for one in _script_paths(line)] if is_inline else []
        elif name in PRINTERS:
            self.opens += at
        for flag in ("-o", "--output", "-O", "--output-document"):
            if program in ("curl", "wget") and flag in args[:-1]:
                self.writes.append(join(self.here, args[args.index(flag) + 1]))
        self.writes += [join(self.here, one[3:]) for one in args if program == "dd" and one.startswith("of=")]

    def _find(self, args: list[str]) -> None:
        stop = next((at for at, one in enumerate(args) if one.startswith(("-", "(", "!"))), len(args))
        starts = [join(self.here, one) for one in args[:stop]]
        begin = next((at for at, one in enumerate(args) if one in ("-exec", "-execdir", "-ok")), len(args))
        doing = args[begin + 1 : begin + 2]
        if "-delete" in args or doing in (["rm"], ["unlink"]):
            self.removes += starts
            self.writes += starts
        elif doing and (doing[0] in MAKERS | {"mv"} or _is_in_place(doing[0], args[begin + 2 :])):
            self.writes += starts
        if doing:
            self.commands.append(tuple(args[begin + 1 :]))


def unwrapped(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A command under its own name, and what it starts in its place: `poetry run x`, `python -m x`, `npx x`."""
    left = [word for word in words if word]
    for _ in range(4):
        if not left:
            return
        program = left[0].rpartition("/")[2]
        program = SAME_PROGRAM.get(program, program)
        rest = _without_globals(left[1:]) if program == "git" else left[1:]
        yield (program, *rest)
        plain = _first_plain(rest)
        if program == "python" and rest[:1] == ["-m"]:
            left = rest[1:]
        elif program in RUNNERS:
            left = rest[plain:]
            left = [left[0].partition("@")[0] or left[0], *left[1:]] if left else []
        elif rest and f"{program}-{rest[plain] if plain < len(rest) else ''}" in RUNS:
            inner = rest[plain + 1 :]
            left = inner[_first_plain(inner) :]
        elif program in ("docker", "podman", "kubectl") and "exec" in rest:
            left = [one for one in rest[rest.index("exec") + 1 :] if not one.startswith("-")][1:]
        else:
            return


def _first_plain(words: list[str]) -> int:
    return next((at for at, one in enumerate(words) if not one.startswith("-")), len(words))


def _without_globals(rest: list[str]) -> list[str]:
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        at += 2 if rest[at] in GIT_VALUES else 1
    return rest[at:]


def _told(bare: list[str]) -> str:
    """The line that a shell, here or elsewhere, is told to run."""
    program = bare[0].rpartition("/")[2] if bare else ""
    if program in shell_programs.SHELLS:
        return " ".join(bare[1:] if program == "eval" else bare[1:][-1:])
    return bare[-1] if program == "ssh" and len(bare) > 2 else ""


def _named(words: Sequence[str]) -> str:
    """A program that does many things together with the first thing it is told."""
    if words and words[0] in ("git", "gh", "ruff", "terraform"):
        return f"{words[0]}-{next((one for one in words[1:] if not one.startswith('-')), '')}"
    return words[0] if words else ""


def _placed(at: list[str]) -> list[str]:
    """Files as they are named where they are put."""
    return [f"{at[-1]}/{one.rstrip('/').rpartition('/')[2]}" for one in at[:-1]] if len(at) > 1 else []


def _is_in_place(program: str, args: Sequence[str]) -> bool:
    short = [one.partition("=")[0][1:5] for one in args if one.startswith("-") and not one.startswith("--")]
    return program in IN_PLACE and (any(one.startswith("--in") for one in args) or any("i" in one for one in short))


def _is_formatting(name: str, args: Sequence[str]) -> bool:
    switches = FORMATTERS.get(name)
    only_looks = switches is None or "--check" in args or "--diff" in args
    return not only_looks and (not switches or any(one in switches for one in args))


def _script_paths(line: str) -> Iterator[str]:
    """Quoted words of a script that could be files."""
    for quote in ("'", '"'):
        for part in line.split(quote)[1::2]:
            inner = part.strip("'\"")
            is_path = ("/" in inner or "." in inner) and not any(sign in inner for sign in " \n\t(){}")
            if is_path and 2 < len(inner) < 300:
                yield inner
