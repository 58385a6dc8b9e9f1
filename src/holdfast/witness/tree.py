"""Where the work tree stood at the end, as git last printed it: clean or changed, pushed, a pull request offered.

Git's own lines are read for their fixed words; nothing else of them is quoted but the names of files, branches and the
address under which a pull request can be opened.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import extract, shell_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.text.transcript import Said

BRANCH = re.compile(r"^On branch (\S+)", re.MULTILINE)
CLEAN = "nothing to commit, working tree clean"
UP_TO_DATE = re.compile(r"Your branch is up to date with '([^']+)'")
AHEAD = re.compile(r"Your branch is ahead of '([^']+)' by (\d+) commits?")
CHANGED = re.compile(r"^\t(?:(?:modified|new file|deleted|renamed):\s+)?(\S.*)$", re.MULTILINE)
PUSHED = re.compile(
    r"^\s+(?:\*?\s*\[new branch\]|[+ ]?\s*[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,})\s+(\S+)\s+->\s+(\S+)", re.MULTILINE
)
OFFER = re.compile(r"https://\S+/(?:pull/new|merge_requests/new)\S*")
MOST_CHANGED = 8


@value
class Tree:
    """What is known of the end; `pushed` and `status` are told only while nothing was changed after them."""

    branch: str = ""
    is_clean: bool = False
    changed: tuple[str, ...] = ()
    upstream: str = ""
    ahead: int = 0
    pushed: str = ""
    offer: str = ""

    @property
    def lines(self) -> list[str]:
        """In the words that git has for it."""
        found = []
        if self.pushed:
            found.append(f"Pushed: {self.pushed}.")
        if self.offer:
            found.append(f"A pull request was offered and none was seen to be opened: {self.offer}")
        parts = [f"On branch {self.branch}"] if self.branch else []
        if self.upstream and not self.ahead:
            parts.append(f"up to date with '{self.upstream}'")
        if self.ahead:
            parts.append(f"{self.ahead} commit{'s' if self.ahead > 1 else ''} ahead of '{self.upstream}', not pushed")
        if self.is_clean:
            parts.append("nothing to commit, working tree clean")
        if self.changed:
            parts.append(f"modified and not committed: {', '.join(self.changed)}")
        if len(parts) > 1 or self.changed:
            found.append(f"{', '.join(parts)}.")
        return found


def last(calls: Sequence[Said], results: Mapping[str, Said]) -> Tree:
    tree = Tree()
    for call in calls:
        if any(True for _ in extract.files_of(call)):
            tree = Tree(tree.branch, pushed=tree.pushed, offer=tree.offer)
            continue
        command, result = extract.command_of(call), results.get(call.call)
        if result is None or "git" not in command:
            continue
        for words in shell_programs.commands(command):
            tree = _after(tree, words, result)
    return tree


def _after(tree: Tree, words: Sequence[str], result: Said) -> Tree:
    if words[0].rpartition("/")[2] == "gh" and words[1:3] == ["pr", "create"]:
        return Tree(tree.branch, tree.is_clean, tree.changed, tree.upstream, tree.ahead, tree.pushed)
    if words[0].rpartition("/")[2] != "git":
        return tree
    if "push" in words[1:4] and not result.failed:
        told = PUSHED.findall(result.text)
        offer = OFFER.search(result.text)
        pushed = ", ".join(f"{here} -> {there}" for here, there in told) or tree.pushed
        return Tree(
            tree.branch, tree.is_clean, tree.changed, tree.upstream, 0, pushed, offer[0] if offer else tree.offer
        )
    if "status" not in words[1:4] or result.failed:
        return tree
    branch, level, ahead = BRANCH.search(result.text), UP_TO_DATE.search(result.text), AHEAD.search(result.text)
    upstream = (level or ahead)[1] if level or ahead else ""  # type: ignore[index]
    changed = tuple(dict.fromkeys(match.strip() for match in CHANGED.findall(result.text)))[:MOST_CHANGED]
    return Tree(
        branch[1] if branch else tree.branch,
        CLEAN in result.text,
        changed,
        upstream,
        int(ahead[2]) if ahead else 0,
        tree.pushed,
        tree.offer,
    )
