"""Whether a git command shows this repository's own history, or what others have sent.

Own are the work tree, the index, HEAD and what leads back from it, local branches, tags and stashes, and commits that
this clone's own record of HEAD knows. What was fetched (origin/main, FETCH_HEAD, a commit that was never checked out
here) is others' text until it was merged. A range shows what its right side has: `origin/main..HEAD` is our own work.
"""

from __future__ import annotations

from holdfast.capture import gitfiles, platform
from holdfast.model import word_set
from holdfast.taint import reflogs
from holdfast.taint.known_text import is_there, kind_of
from holdfast.text.shell_simple import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.taint.known_text import Ground

PLAIN = word_set(
    "status add commit rm mv rev-parse ls-files describe init clean symbolic-ref show-ref check-ignore check-attr "
    "hash-object write-tree gc fsck count-objects prune var version config stash update-index push tag maintenance "
    "sparse-checkout update-ref pack-refs worktree"
)
SHOWING = word_set(
    "log show diff blame annotate shortlog rev-list ls-tree cat-file checkout switch restore reset merge rebase reflog "
    "cherry-pick revert branch merge-base name-rev for-each-ref range-diff format-patch whatchanged cherry diff-tree "
    "diff-index diff-files bisect apply grep"
)
RANGED = word_set("log shortlog rev-list cherry format-patch whatchanged")  # show the right side of a range
BEYOND = word_set(
    "--all --remotes --glob --no-index --untracked --upload-pack --ext-diff --textconv --open-files-in-pager "
    "--receive-pack --blob --contents --no-exclude-standard --stdin --batch --batch-check --batch-command"
)
BEYOND_OF = {"branch": word_set("-a -r -avv -rvv -va -vr"), "rebase": word_set("-x --exec"), "grep": word_set("-O")}
LOOKING = word_set("-n -S -G -L --author --committer --since --until --after --before --grep --max-count --skip")
VALUES = {  # options that a word follows which names no commit
    "merge": ("-m", "-X", "-s", "--strategy", "-F"),
    "cherry-pick": ("-m", "-X"),
    "revert": ("-m",),
    "rebase": ("-X", "-s"),
    "checkout": ("-b", "-B", "--orphan"),
    "switch": ("-c", "-C", "--orphan"),
    **dict.fromkeys(("branch", "reset", "restore"), ()),
}
FILES = {"commit": ("-F", "--file", "-t", "--template"), "config": ("-f", "--file")}  # options that name a file to read
HARMLESS_SETTINGS = ("user.", "color.", "core.pager=cat", "core.quotepath", "commit.gpgsign", "tag.gpgsign", "advice.",
                     "init.defaultbranch", "log.", "core.autocrlf", "pager.")  # fmt: skip
HARMLESS_OPTIONS = ("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs")
SPECIAL = ("HEAD", "@", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "stash", "--")
SHORTEST = 7


def is_own(words: list[str], at: str, ground: Ground) -> bool:
    """`words` are what git was told, without its own name."""
    if words[:1] in (["--version"], ["--help"], ["-v"]):
        return True
    found = _here(words, at)
    if found is None or not found[1] or UNKNOWN in found[0]:
        return False
    here, (told, *given) = found
    if not ground.is_in_tree(here, "/"):  # another repository, or none: there it only says so
        return told in PLAIN and not ground.common and gitfiles.checkout(here) is None
    if told == "remote":
        return given in ([], ["-v"], ["--verbose"]) or given[:1] in (["add"], ["get-url"], ["set-url"], ["remove"])
    if told == "submodule":
        return given[:1] in ([], ["status"])
    if told in PLAIN:
        return _is_plain(told, given, here, ground)
    is_beyond = any(one.partition("=")[0] in BEYOND or one in BEYOND_OF.get(told, ()) for one in given)
    if told not in SHOWING or is_beyond or (told == "bisect" and given[:1] == ["run"]):
        return False
    if told == "for-each-ref" and not any(one.startswith("refs/") for one in given):
        return False  # all of them, those of others too
    given = given[1:] if told == "reflog" and given[:1] == ["show"] else given
    return told == "bisect" or all(_is_known(told, one, here, ground) for one in _named(told, given))


def _here(words: list[str], at: str) -> tuple[str, list[str]] | None:
    """The folder that git works in, and what it is told; None where an option of its own could have it do anything."""
    here, rest = at, list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        value = rest.pop(0) if option in ("-C", "-c") and rest else ""
        if option == "-C":
            here = gitfiles.resolve(here, value)
        elif option == "-c":
            if not value.lower().startswith(HARMLESS_SETTINGS):
                return None
        elif option not in HARMLESS_OPTIONS:
            return None
    return here, rest


def _is_plain(told: str, given: list[str], here: str, ground: Ground) -> bool:
    """A command that shows nothing of other commits; what it reads besides must be known too."""
    if told == "push" and any("::" in one for one in given):
        return False  # a transport that runs a program
    is_remote = (one == "FETCH_HEAD" or _has_ref(ground.common, f"refs/remotes/{one}") for one in given)
    if told == "worktree" and any(is_remote):
        return False
    for option in FILES.get(told, ()):
        if option in given[:-1] and not ground.has(given[given.index(option) + 1], here):
            return False
    return not any(one.startswith(("--file=", "--blob", "--template=")) for one in given)


def _named(told: str, given: list[str]) -> list[str]:
    """Words that may name commits or paths: no options, no values of options, nothing that is only to be made."""
    found: list[str] = []
    valued = VALUES.get(told, LOOKING)
    rest = list(given)
    while rest:
        one = rest.pop(0)
        if one == "--":
            break  # paths: git shows of them only what it has
        if told == "grep" and not one.startswith("-"):
            break  # its pattern, and then the tree's own files
        if one in valued:
            rest[:1] = []
        elif one.startswith("--source="):
            found.append(one.partition("=")[2])
        elif not one.startswith("-"):
            found.append(one)
    return found[1:] if told == "branch" else found  # the name of a new branch, and then where it begins


def _is_known(told: str, word: str, here: str, ground: Ground) -> bool:
    if UNKNOWN in word:
        return False
    if told == "apply":
        return ground.has(word, here)
    if told == "for-each-ref":
        return word.startswith(("refs/heads", "refs/tags"))
    if word.startswith(":"):
        return not word.startswith(":/")  # the index; a search goes through all commits
    dots = "..." if "..." in word else ".."
    if dots == "..." or (dots in word and not word.startswith((".", "/"))):
        left, _, right = word.partition(dots)
        is_ours = told == "diff" if dots == "..." else told in RANGED  # only the right side is shown
        return _is_commit(right or "HEAD", ground) and (is_ours or _is_commit(left or "HEAD", ground))
    if ":" in word:
        return _is_commit(word.partition(":")[0], ground)
    if word.startswith("^") or _is_commit(word, ground):
        return True
    if not ground.is_in_tree(word, here):
        return False
    return ground.has(word, here) or (is_there(ground.whole(word, here)) and ground.has_folder(word, here))


def _is_commit(word: str, ground: Ground) -> bool:
    """Whether a word names a commit of our own."""
    bare = word
    for sign in ("~", "^", "@{", ":"):
        bare = bare.partition(sign)[0] if bare != "@" else bare
    if "@{u" in word or "@{upstream" in word or "@{push" in word:
        return False
    if bare in SPECIAL or not bare:
        return True
    if bare.startswith("refs/remotes/") or bare == "FETCH_HEAD":
        return False
    name = bare.removeprefix("refs/heads/").removeprefix("refs/tags/").removeprefix("heads/").removeprefix("tags/")
    if _has_ref(ground.common, f"refs/heads/{name}") or _has_ref(ground.common, f"refs/tags/{name}"):
        return True
    if len(bare) < SHORTEST or bare.lower().strip("0123456789abcdef"):
        return False
    wanted = bare.lower().encode("ascii")  # HEAD was at it in this work tree or in the repository's first one
    lines = (line for text in reflogs(ground.root, ground.common) for line in text.split(b"\n"))
    return any(line.startswith(wanted) or line.partition(b" ")[2].startswith(wanted) for line in lines)


def _has_ref(common: str, ref: str) -> bool:
    if any(part in ("", ".", "..") for part in ref.split("/")):
        return False
    if kind_of(f"{common}/{ref}") == platform.A_FILE:
        return True
    try:
        packed = platform.read_regular(f"{common}/packed-refs", 1 << 22)
    except (OSError, ValueError):
        return False
    return f" {ref}\n".encode("utf-8", "surrogateescape") in packed
