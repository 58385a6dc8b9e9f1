"""The vault's remote: which one it is, fetching from it and pushing to it.

Promise: no call waits for somebody to type something, nothing is forced, no reference of the vault is touched by a
fetch, and an address is shown without the secrets in it. A remote that cannot be reached is one sentence.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from holdfast.capture.redaction import redact
from holdfast.errors import GitFailed, NotFound, UsageError
from holdfast.vault import purge_history
from holdfast.vault.git import BRANCH, Repository

if TYPE_CHECKING:
    from subprocess import CompletedProcess

ROUNDS = 5
ORIGIN = "origin"
REF = f"refs/heads/{BRANCH}"
PATIENCE = 300.0  # seconds for one exchange with a remote
AT_HAND = re.compile(r"file://|(?![^/]*:)")  # as git tells a path from the name of another machine
SERVING = "git " + " ".join(
    f"-c {one}"
    for one in (
        *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=:"),
        *("receive.denyCurrentBranch=refuse", "receive.autogc=false"),
    )
)
MAKE_ONE = "Give the address of a git repository; `git init --bare PATH` makes an empty one."
NONE = "The vault has no remote yet; nothing was changed. `holdfast sync --remote ADDRESS` sets one."
RACE = ("fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "stale info")


def choose(repository: Repository, wanted: str) -> str:
    """The name or address to speak to. Raises NotFound, UsageError."""
    if wanted.startswith("-") or any(ord(letter) < 32 for letter in wanted):
        raise UsageError(f"{wanted!r} is no remote; nothing was changed. Give a name or an address.")
    known = repository.text("remote").split() if repository.exists() else []
    if wanted and wanted not in known:
        folder = os.path.expanduser(wanted)
        if os.path.isdir(folder):
            return os.path.abspath(folder)
        if not re.search(r"[:/]", wanted):
            raise NotFound(f"There is no remote {wanted}; nothing was changed. Give its address the first time.")
        if AT_HAND.match(wanted):
            path = os.path.abspath(folder.removeprefix("file://"))
            if not any(os.path.exists(one) for one in (path, f"{path}.git", unquote(path))):
                raise NotFound(f"There is nothing at {path}; nothing was changed. {MAKE_ONE}")
            return wanted if wanted.startswith("file://") else path
        return wanted
    if wanted or ORIGIN in known:
        return wanted or ORIGIN
    raise NotFound(NONE)


def is_new(repository: Repository, remote: str) -> bool:
    """True if it is an address that is not the origin's."""
    return remote not in repository.text("remote").split() and remote != _origin(repository)


def remember(repository: Repository, remote: str) -> str:
    """An address becomes the origin; returns what was the origin before, as it may be shown. Without a fetch rule: we
    keep no copies of the remote's references, so our network calls take none of the locks that a writer looks for."""
    was = _origin(repository)
    repository.run("config", "--replace-all", f"remote.{ORIGIN}.url", remote)
    repository.run("config", "--unset-all", f"remote.{ORIGIN}.pushurl", allowed=(0, 5))  # it was the former one's
    return clean(was)


def _origin(repository: Repository) -> str:
    return repository.text("config", "--get", f"remote.{ORIGIN}.url", allowed=(0, 1))


def shown(repository: Repository, remote: str) -> str:
    """The address without what must not be shown."""
    done = repository.attempt("remote", "get-url", remote)
    address = done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else remote
    return clean(address)


def clean(text: str) -> str:
    return redact(re.sub(r"://[^/@\s]*@", "://", text))[0]


def _ask(repository: Repository, *words: str) -> CompletedProcess[bytes]:
    """Git over the network, which must never wait for somebody to type something."""
    env = {}
    if (
        not {"GIT_SSH", "GIT_SSH_COMMAND"} & os.environ.keys()
        and repository.attempt("config", "--get", "core.sshCommand", network=True).returncode
    ):
        env = {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=20"}
    return repository.attempt(*words, env=env, timeout=PATIENCE, network=True)


def _pack(repository: Repository, remote: str, which: str) -> tuple[str, ...]:
    """The git that serves a remote in a folder of this machine is ours to start, and a program in that repository's
    settings or hooks would be started by it. Elsewhere the other machine decides."""
    done = repository.attempt("remote", "get-url", remote, users=True)
    address = done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else remote
    return (f"--{which}-pack={SERVING} {which}-pack",) if AT_HAND.match(address) else ()


def _failed(repository: Repository, remote: str, done: CompletedProcess[bytes], kept: str) -> GitFailed:
    said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    marked = [line for line in said if line.startswith(("fatal:", "error:", "remote:"))]
    reason = clean((marked or said or ["git gave no reason"])[0].partition(": ")[2] or "git gave no reason")
    advice = "Run `holdfast sync` again later."
    if remote not in repository.text("remote").split():
        advice = MAKE_ONE if "not appear to be a git repository" in reason else "Run the same command again later."
    return GitFailed(f"{shown(repository, remote)}: {reason.rstrip('.')}; {kept}. {advice}")


def fetch(repository: Repository, remote: str) -> str:
    """Their newest commit, brought here; "" where the remote is empty."""
    for _ in range(ROUNDS):
        done = _ask(repository, "ls-remote", *_pack(repository, remote, "upload"), "--heads", "--", remote)
        if done.returncode:
            raise _failed(repository, remote, done, "nothing was changed")
        heads = dict(line.split("\t")[::-1] for line in done.stdout.decode("utf-8", "replace").splitlines())
        if heads and REF not in heads:
            raise UsageError(
                f"{shown(repository, remote)} has no branch {BRANCH} but others, so it holds no vault; nothing was "
                "changed. Give the address of an empty repository or of a vault's."
            )
        theirs = heads.get(REF, "")
        if not theirs:
            return ""
        purged = purge_history.gone(repository.vault)
        if not _has(repository, theirs):
            if theirs in purged:
                raise _still_has_it(repository, remote)
            words = ("--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--no-recurse-submodules")
            done = _ask(repository, "fetch", *words, *_pack(repository, remote, "upload"), "--", remote, REF)
            if done.returncode:
                raise _failed(repository, remote, done, "nothing was changed")
        if purged and purged.intersection(repository.text("rev-list", theirs, "--not", "HEAD").split()):
            from holdfast.vault.transaction import locked

            # A writer's objects that no reference names yet must not go with the fetched ones.
            with locked(repository.vault) as held:
                held.run("gc", "--quiet", "--prune=now")
            raise _still_has_it(repository, remote)
        if _has(repository, theirs):
            return theirs
    raise GitFailed(f"{shown(repository, remote)} changes all the time; nothing was changed. Run it again later.")


def _still_has_it(repository: Repository, remote: str) -> UsageError:
    return UsageError(
        f"{shown(repository, remote)} still has what was purged here, and a sync would bring it back; nothing was "
        "changed. Sync with an empty remote (`holdfast sync --remote ADDRESS`); your other machines start there from a "
        "fresh folder."
    )


def _has(repository: Repository, commit: str) -> bool:
    """True if all of a commit is here: a fetch that was killed may have left the commit without its files."""
    return repository.attempt("rev-list", "--objects", "--quiet", commit, "--not", "HEAD").returncode == 0


def push(repository: Repository, remote: str, head: str) -> bool:
    """True if the remote took it; False where somebody else was faster. Never forced."""
    words = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
    done = _ask(repository, "push", *words, *_pack(repository, remote, "receive"), "--", remote, f"{head}:{REF}")
    if done.returncode == 0:
        return True
    said = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
    if any(sign in said for sign in RACE):
        return False
    refused = re.search(r"^!\t.*\[(?:remote )?rejected\] \((.*)\)", said, re.MULTILINE)
    if refused:
        raise GitFailed(
            f"{shown(repository, remote)} refused our commits ({clean(refused[1])}); theirs are merged and ours are "
            "kept here. Run `holdfast sync` again once it takes them."
        )
    raise _failed(repository, remote, done, "theirs is merged and ours is kept here")
