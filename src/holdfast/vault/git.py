"""Git on the vault, and on nothing else.

The vault is a repository of its own even where it lies inside another one: work tree and repository are named at every
call, and nothing of the caller's environment, of the machine's settings (hooks, signing, line ends, excludes) or of the
vault's own (vault/git_settings) can change what we write or start a program. Objects and references are synced, because
git's default add and commit sync nothing.

A lock that git left behind is removed only on proof that its owner is dead. Our own git processes inherit the vault's
lock, so whoever holds that lock knows that none of them is alive; everybody else's are looked for in /proc.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from holdfast.capture import git_process, platform
from holdfast.errors import GitFailed
from holdfast.model import OURS
from holdfast.vault import git_loose, git_settings

BRANCH = "main"
PERSON = ("operator", "operator@localhost")
SETTINGS = (
    *("core.fsync=all", "core.autocrlf=false", "core.safecrlf=false", "core.eol=lf", "core.quotepath=false"),
    *("core.excludesFile=/dev/null", "core.logAllRefUpdates=true", "core.precomposeunicode=false"),
    *("core.sparseCheckout=false", "i18n.commitEncoding=UTF-8", "i18n.logOutputEncoding=UTF-8"),
    *("init.defaultBranch=main", "init.templateDir=", "advice.detachedHead=false"),
)
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
BEGUN = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "ORIG_HEAD.lock")


@dataclass(frozen=True)
class Repository:
    """The repository of one vault. `held` is the descriptor of the vault's lock, which git processes inherit."""

    vault: str
    held: int = -1

    @property
    def folder(self) -> str:
        return f"{self.vault}/.git"

    def run(self, *words: str, allowed: tuple[int, ...] = (0,), **more: Any) -> bytes:
        """The output of git; `more` is for `attempt`. Raises GitFailed where its status is not allowed."""
        done = self.attempt(*words, **more)
        if done.returncode not in allowed:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            reason = next((line for line in said if line.startswith(("fatal:", "error:"))), (said or ["no reason"])[0])
            raise GitFailed(f"git {words[0]} failed in {self.vault}: {reason}", by_git=True)
        return done.stdout

    def attempt(
        self,
        *words: str,
        given: bytes | None = None,
        who: tuple[str, str] = OURS,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        network: bool = False,
        users: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        """One git process on the vault. `network`: it speaks to a remote, with the user's own settings and credentials;
        `users`: it only reads those settings. Raises GitFailed."""
        git_settings.refuse(self.own_folder(), network=network)
        given_env = {**environment(self, who, users=network or users), **(env or {})}
        try:
            done = git_process.run(
                words, self.vault, given_env, settings=SETTINGS, given=given, timeout=timeout, held=self.held
            )
        except FileNotFoundError as error:
            raise GitFailed("There is no git on PATH, and the vault's history needs it. Install git.") from error
        except subprocess.TimeoutExpired as error:
            raise GitFailed(f"git {words[0]} gave no answer for {timeout:.0f} s; nothing was changed.") from error
        if done.returncode < 0 or done.returncode > 129:  # no answer of git's at all, so not to be taken for a no
            raise GitFailed(f"git {words[0]} was killed in {self.vault}. Run the same command again.")
        return done

    def objects(self, idents: Sequence[str]) -> dict[str, bytes]:
        """The bytes of objects by id, in one process; without those that git cannot give back, and what follows."""
        given = "".join(f"{one}\n" for one in idents).encode("ascii")
        raw = self.attempt("cat-file", "--batch", given=given).stdout
        found: dict[str, bytes] = {}
        at = 0
        for ident in idents:
            start = raw.find(b"\n", at) + 1
            head = raw[at:start].split()
            if len(head) == 2:  # missing
                at = start
                continue
            if len(head) != 3 or len(raw) < start + int(head[2]):
                break
            at = start + int(head[2]) + 1
            found[ident] = raw[start : at - 1]
        return found

    def start(
        self, *words: str, said: IO[bytes] | int, given: IO[bytes] | int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """A git process that is talked with while it runs. Raises GitFailed."""
        git_settings.refuse(self.own_folder(), network=False)
        env = environment(self, OURS)
        return git_process.start(words, self.vault, env, settings=SETTINGS, given=given, said=said, held=self.held)

    def text(self, *words: str, allowed: tuple[int, ...] = (0,)) -> str:
        return self.run(*words, allowed=allowed).decode("utf-8", "replace").rstrip("\n")

    def head(self) -> str:
        """The commit that the vault stands at; "" before the first one. Git is asked only where its plain files do not
        say it, as in a repository of another kind: a close looks many times."""
        known = git_settings.tip(self.own_folder())
        if known:
            return known
        done = self.attempt("rev-parse", "--verify", "--quiet", "HEAD")
        return done.stdout.decode("ascii").strip() if done.returncode == 0 else ""

    def changed(self) -> list[tuple[bytes, str]]:
        """The files that differ from the head, each with its state as git says it; `!!` are those it is to ignore."""
        raw = self.run(
            *("status", "--porcelain", "-z", "--untracked-files=all", "--ignored", "--no-renames"),
            *("--ignore-submodules=dirty", "--", ":/", ":(top,exclude).state"),  # ours, whatever .gitignore says
        )
        return [(line[:2], line[3:].decode("utf-8", "surrogateescape")) for line in raw.split(b"\0") if line]

    def differing(self, before: str, after: str) -> set[str]:
        """The files that differ between two commits or trees ("" is none), without git where they are loose."""
        try:
            return git_loose.differing(self.own_folder(), before, after)
        except LookupError:
            words = ("diff-tree", "--no-renames", before) if before else ("ls-tree",)
            return set(names(self.run(*words[:1], "-r", "-z", "--name-only", *words[1:], after)))

    def content(self, commit: str, path: str) -> bytes | None:
        """A file as a commit has it; None where it has none."""
        done = self.attempt("cat-file", "blob", f"{commit}:{path}")
        return done.stdout if done.returncode == 0 else None

    def exists(self) -> bool:
        """True if git takes it for a repository: an `init` that was killed leaves less."""
        parts = all(os.path.exists(f"{self.folder}/{part}") for part in ("HEAD", "objects", "refs"))
        return parts or os.path.isfile(self.folder)

    def init(self) -> None:
        """Make the repository if there is none; a half-made one is completed. No template: it could exclude notes."""
        if not self.exists():
            self.run("init", "--quiet", "--template=")
            os.chmod(self.folder, 0o700)

    def own_folder(self) -> str:
        """The folder of git's own files: `.git`, or the folder that a file of that name points to."""
        if not os.path.isfile(self.folder):
            return self.folder
        said = platform.read_file(self.folder, 4096).decode("utf-8", "surrogateescape")
        return os.path.join(self.vault, said.removeprefix("gitdir:").strip())

    def begun_by_hand(self) -> str:
        """The name of what a person began with git and has not finished; "" where there is nothing."""
        place = self.own_folder()
        return next((what for name, what in BEGUN.items() if os.path.lexists(f"{place}/{name}")), "")

    def keep_branch(self) -> None:
        """Where a person left the vault on no branch, the main one follows the head, else the next checkout would hide
        what we wrote. Raises GitFailed where the head is not ahead of it, such as at an old commit they look at."""
        try:
            if platform.read_file(f"{self.own_folder()}/HEAD", 5) == b"ref: ":
                return
        except OSError:
            return
        head, branch = self.head(), f"refs/heads/{BRANCH}"
        tip = self.text("rev-parse", "--verify", "--quiet", branch, allowed=(0, 1))
        if tip and self.attempt("merge-base", "--is-ancestor", tip, head).returncode:
            raise GitFailed(
                f"{self.vault} stands at the commit {head[:10]}, apart from its branch {BRANCH}; nothing was changed. "
                f"`git checkout {BRANCH}` in it brings the memory back."
            )
        if head and tip != head:
            self.run("update-ref", "-m", "the head, on no branch", branch, head)

    def person(self) -> tuple[str, str]:
        """Name and address of the person, as their own git knows them."""
        asked = (self.attempt("config", "--get", f"user.{name}", users=True) for name in ("name", "email"))
        name, address = (done.stdout.decode("utf-8", "replace").strip() for done in asked)
        has_letters = [any(letter.isalnum() for letter in said) for said in (name, address)]  # git refuses mere signs
        return name if has_letters[0] else PERSON[0], address if has_letters[1] else PERSON[1]


def commit_only(repository: Repository, paths: Sequence[str], message: str, who: tuple[str, str]) -> str:
    """Commit exactly these paths as they are in the work tree; "" where nothing is new."""
    head = repository.head()
    stage(repository, paths)
    known = _index_committed(repository, head, message, who, only=frozenset(paths))
    if known is not None:
        return known
    # Git can name files that are there, and gone ones that the head still has.
    there = [path for path in paths if os.path.lexists(f"{repository.vault}/{path}")]
    gone = sorted(set(paths) - set(there))
    if gone and head:
        listed = set(names(repository.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", head)))
        there += [path for path in gone if path in listed]
    only = ("--only", "--pathspec-from-file=-", "--pathspec-file-nul")
    return _committed(repository, message, who, *only, given=_listed(there)) if there else ""


def commit_theirs(repository: Repository, paths: Sequence[str], message: str, who: tuple[str, str]) -> str:
    """Commit these paths as they are in the work tree, with whatever else is staged; "" where nothing is new."""
    head = repository.head()
    stage(repository, paths)
    known = _index_committed(repository, head, message, who)
    return _committed(repository, message, who) if known is None else known


def _index_committed(
    repository: Repository, head: str, message: str, who: tuple[str, str], only: frozenset[str] | None = None
) -> str | None:
    """Commit the index by plumbing: `git commit` looks at every file of the vault several times. "" where it is as the
    head has it; None where it is left to `git commit`: more is staged than `only`, or the head has moved."""
    tree = repository.text("write-tree", "--missing-ok")  # without a look for each file's object: the head has them
    changed = repository.differing(head, tree)
    if not changed:
        return ""
    if only is not None and not changed <= only:
        return None
    commit = tree_committed(repository, tree, (head,) if head else (), message, who)
    subject = f"commit: {message.partition(chr(10))[0]}"
    moved = repository.attempt("update-ref", "-m", subject, "HEAD", commit, head or "0" * len(commit))
    return None if moved.returncode else commit


def tree_committed(
    repository: Repository, tree: str, parents: Sequence[str], message: str, who: tuple[str, str]
) -> str:
    """The commit of a tree, to which nothing leads yet."""
    on = [part for parent in parents for part in ("-p", parent)]
    made = repository.run("commit-tree", tree, *on, "-F", "-", given=message.encode("utf-8", "replace"), who=who)
    return made.decode("ascii").strip()


def _committed(
    repository: Repository, message: str, who: tuple[str, str], *more: str, given: bytes | None = None
) -> str:
    done = repository.attempt(
        *("commit", "--quiet", "--no-verify", "--cleanup=verbatim", "-m", message, *more),
        given=given,
        who=who,
        env=LITERAL,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        if "nothing to commit" in said or "nothing added to commit" in said or "no changes added" in said:
            return ""
        reason = (said or "no reason").splitlines()[-1]
        raise GitFailed(f"git commit failed in {repository.vault}: {reason}", by_git=True)
    return repository.head()


def stage(repository: Repository, written: Sequence[str]) -> None:
    if written:
        # A person may have put a file where a folder was, or a folder where a file was.
        repository.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=_listed(written))


def _listed(paths: Sequence[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")


def names(raw: bytes) -> list[str]:
    """The names in what git prints with -z."""
    return [name.decode("utf-8", "surrogateescape") for name in raw.split(b"\0") if name]


def environment(repository: Repository, who: tuple[str, str], *, users: bool = False) -> dict[str, str]:
    return {
        **git_process.environment(users=users),
        "GIT_DIR": repository.folder,
        "GIT_WORK_TREE": repository.vault,
        "GIT_AUTHOR_NAME": who[0],
        "GIT_AUTHOR_EMAIL": who[1],
        "GIT_COMMITTER_NAME": OURS[0],
        "GIT_COMMITTER_EMAIL": OURS[1],
    }


def remove_stale_locks(repository: Repository) -> list[str]:
    """Remove what a killed git left behind. Raises GitFailed where its owner may be alive. The vault's lock is held."""
    folder = repository.own_folder()
    top = (name for name in platform.names(folder) if name in LOCKS or name.startswith("next-index-"))
    locks = [f"{folder}/{name}" for name in top]
    locks += [f"{top}/{one}" for top, _, some in os.walk(f"{folder}/refs") for one in some if one.endswith(".lock")]
    if not locks:
        return []
    owner = _git_at_work(repository, locks)
    if owner:
        raise GitFailed(f"git is at work in {repository.vault} ({owner}); nothing was changed. Run it again later.")
    for path in locks:
        platform.remove(path)
    return locks


def _git_at_work(repository: Repository, locks: list[str]) -> str:
    """A process that may own a lock, or why nobody can tell; "" on proof that there is none."""
    if not os.path.isdir("/proc/self/fd"):
        return "this machine does not show who holds a lock"
    vault = os.path.realpath(repository.vault)
    held = {os.path.realpath(path) for path in locks}
    for pid in platform.names("/proc"):
        if not pid.isdecimal() or int(pid) == os.getpid():
            continue
        try:
            name = platform.read_file(f"/proc/{pid}/comm", 64).decode("utf-8", "replace").strip()
            if not platform.start_of(int(pid)):
                continue  # dead, and only waiting for its parent
            if name.startswith("git"):
                where = os.readlink(f"/proc/{pid}/cwd")
                around = platform.read_file(f"/proc/{pid}/environ", 1 << 20)
                if f"{where}/".startswith(f"{vault}/") or os.fsencode(repository.folder) in around:
                    return f"process {pid}, {name}"
            for fd in platform.names(f"/proc/{pid}/fd"):
                if os.readlink(f"/proc/{pid}/fd/{fd}") in held:
                    return f"process {pid}, {name}"
        except PermissionError:
            if name.startswith("git"):
                return f"process {pid}, {name}, of another user"
        except OSError:
            continue  # it has just ended
    return ""
