"""Skill files of a project and of its user: found by name, changed only as whole files, and only where they are clean.

They are not ours. So a file is changed only with the user's standing permission (`[improve] skills = "apply"` in the
settings of their own vault; a repository's has no say), only where git says that nothing of theirs is unfinished in
it, only inside the folder that it was found in, and by a swap that gives way to whoever saves it at the same moment.
Nothing is ever staged or committed. The plan of an edit is kept where no repository and no sync can write it.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import codec, config, git_process, gitfiles, home, platform
from holdfast.close.improve.edit_record import is_id
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import VERSION
from holdfast.vault.instructions import FENCE as CODE

if TYPE_CHECKING:
    from holdfast.close.improve.edit_record import Record
    from holdfast.close.improve.proposals import Proposal

FOLDERS = (".claude/skills", ".agents/skills")
NAME = "SKILL.md"
HEADING = "## Snags and better paths"
LARGEST = 256 * 1024


@dataclass(frozen=True)
class Skill:
    """One skill file: where it really lies, and the folder that it may not leave."""

    path: str
    top: str
    text: str


def own_state() -> str:
    """The machinery of the user's own vault, whichever vault is being closed."""
    return home.machine_state(os.environ)


def may_edit() -> bool:
    """Whether the user has allowed it on this machine."""
    return config.section(config.load(own_state()), "improve").get("skills") == "apply"


def find(name: str, root: str, user: str) -> Skill | None:
    """The project's own skill of this name, else the user's; None where there is none that may be read."""
    if not name or "/" in name or "\0" in name or name.startswith("."):
        return None
    for top in (root, user):
        for folder in FOLDERS if top else ():
            found = look(f"{top}/{folder}/{name}/{NAME}", top)
            if found:
                return found
    return None


def look(path: str, top: str) -> Skill | None:
    """A skill file inside a folder, where it really lies; None for one that leaves it, or that is no plain file."""
    try:
        real, inside = os.path.realpath(path), os.path.realpath(top)
        if inside == "/" or not real.startswith(f"{inside}/") or os.path.islink(path):
            return None
        raw = platform.read_regular(real, LARGEST)
        return Skill(real, inside, raw.decode("utf-8"))
    except (OSError, ValueError):
        return None


def with_lines(text: str, lines: tuple[str, ...]) -> str:
    """The file with these lines as items of its list of snags; one that it has already is not added again."""
    fresh = [f"- {line}" for line in lines if f"- {line}" not in text.splitlines()]
    if not fresh:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    at = _end_of_section(text)
    if at is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return text + gap + newline.join([HEADING, "", *fresh, ""])
    before = text[:at] if text[:at].endswith("\n") else text[:at] + newline
    return before + "".join(f"{line}{newline}" for line in fresh) + text[at:]


def _end_of_section(text: str) -> int | None:
    """The end of the list of snags; None where the file has none."""
    at = end = 0
    inside = False
    fence = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        bare = line.strip()
        mark = CODE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        if inside and not fence and re.match(r"#{1,2} ", bare):
            return end
        inside = inside or (not fence and bare == HEADING)
        at += len(line)
        if inside and bare:
            end = at
    return end if inside else None


def without_lines(text: str, lines: tuple[str, ...]) -> str:
    """The file without these items, and without the heading where nothing is left below it."""
    gone = {f"- {line}" for line in lines}
    kept = [line for line in re.findall(r"[^\n]*\n|[^\n]+", text) if line.rstrip("\r\n") not in gone]
    left = "".join(kept)
    newline = "\r\n" if "\r\n" in left else "\n"
    for ending in (f"{newline}{HEADING}{newline}{newline}", f"{HEADING}{newline}{newline}"):
        if left.endswith(ending):
            return left[: -len(ending)]
    return left


def why_not(skill: Skill) -> str:
    """The reason why a file may not be changed unasked now, as the end of a sentence; "" where it may."""
    return unfinished(skill) or _unwatched(skill)


def unfinished(skill: Skill) -> str:
    """The reason why a file may not be changed now even by its user's word."""
    folder = os.path.dirname(skill.path)
    if not os.access(skill.path, os.W_OK) or not os.access(folder, os.W_OK):
        return "it cannot be written"
    if not gitfiles.checkout(folder):
        return ""  # in no repository: our own patch is all the history it has
    words = ("status", "--porcelain", "--untracked-files=all", "--ignore-submodules=all", "--", skill.path)
    done = git_process.ask(folder, *words)
    if done is None or done.returncode:
        return "git could not say whether it is clean"
    return "it has changes that are not committed" if done.stdout.strip() else ""


def _unwatched(skill: Skill) -> str:
    """Why git's silence says nothing about a file of a repository: it does not keep it, or was told to look away."""
    folder = os.path.dirname(skill.path)
    if not gitfiles.checkout(folder):
        return ""
    done = git_process.ask(folder, "ls-files", "-v", "--", skill.path)
    if done is None or done.returncode:
        return "git could not say whether it is clean"
    if not done.stdout.strip():
        return "git ignores it, so nothing says whether it is clean"
    if not done.stdout.startswith(b"H "):  # S: skip-worktree; in lower case: assume-unchanged
        return "git was told to overlook its changes"
    return ""


def write(path: str, before: str, after: str) -> bool:
    """Replace a file that still is `before`; False where somebody saved it meanwhile, whose version stays. Raises
    OSError."""
    seen = os.lstat(path)
    if not stat.S_ISREG(seen.st_mode) or _text(path) != before:
        return False
    fd, aside = tempfile.mkstemp(prefix=".holdfast-", suffix=".tmp", dir=os.path.dirname(path))
    try:
        with open(fd, "wb") as file:
            file.write(after.encode("utf-8"))
            file.flush()
            os.fchmod(fd, stat.S_IMODE(seen.st_mode))
            platform.sync(fd)
        if not platform.exchange(aside, path):
            os.replace(aside, path)
            return True
        if _text(aside) != before:  # saved between our look and the swap
            platform.exchange(aside, path)
            return False
    finally:
        platform.remove(aside)
        platform.sync_folder(os.path.dirname(path))
    return True


def _text(path: str) -> str | None:
    try:
        return platform.read_regular(path, LARGEST).decode("utf-8")
    except (OSError, ValueError):
        return None


def merged(base: str, ours: str, theirs: str) -> str | None:
    """The change from `base` to `theirs`, made in `ours`, by git's own three-way merge; None where they clash."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        for name, text in (("ours", ours), ("base", base), ("theirs", theirs)):
            with open(f"{folder}/{name}", "wb") as file:  # the folder is for our eyes only
                file.write(text.encode("utf-8"))
        done = git_process.alone(folder, "merge-file", "-p", "--quiet", "ours", "base", "theirs")
    return done.stdout.decode("utf-8", "replace") if done and done.returncode == 0 else None


@dataclass(frozen=True)
class SkillPlan:
    """One edit of the skill `name` of the project at `root`, or of the `user`: its file gets `lines`."""

    id: str
    name: str
    root: str
    user: str
    path: str
    lines: tuple[str, ...]
    before: str
    after: str


def keep(plan: SkillPlan) -> None:
    """Keep a plan, before anything else is written about it. Raises OSError, UsageError."""
    if not is_id(plan.id):
        raise UsageError(f'"{plan.id}" is no id of a flag, so its skill is not edited; nothing was kept.')
    folder = _folder()
    platform.make_folders(folder)
    platform.write_atomic(f"{folder}/{plan.id}", codec.encode({"v": VERSION, **asdict(plan)}), durable=True)


def find_plan(ident: str) -> SkillPlan | None:
    """The plan of this machine for a snag; None where it has none."""
    if not is_id(ident):
        return None
    try:
        record = codec.decode(platform.read_file(f"{_folder()}/{ident}", 8 * LARGEST))
        texts = {name: record[name] for name in SkillPlan.__dataclass_fields__ if name != "lines"}
        if texts["id"] != ident or not all(isinstance(one, str) for one in texts.values()):
            return None
        return SkillPlan(**texts, lines=tuple(str(one) for one in record["lines"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def drop(ident: str) -> None:
    """It was decided against."""
    if is_id(ident):
        platform.remove(f"{_folder()}/{ident}")


def skill_of(plan: SkillPlan) -> Skill | None:
    """The file as it is now; None where the skill's name no longer leads to the file that was planned for."""
    found = find(plan.name, plan.root, plan.user)
    return found if found and found.path == plan.path else None


def make(plan: SkillPlan) -> bool:
    """Write the file, and keep both versions: whoever takes the edit back later can merge. False where somebody saved
    it at that moment. Raises OSError."""
    keep(plan)
    return write(plan.path, plan.before, plan.after)


def carry_out(proposal: Proposal) -> bool:
    """Make the edit that a person has accepted, as this machine has planned it; False where the file was changed in the
    same place. Raises HoldfastError."""
    plan = find_plan(proposal.id)
    asked = (proposal.path, proposal.before, proposal.after)
    if not plan or asked != (plan.path, plan.before, plan.after):
        raise HoldfastError(
            f"This machine has not planned this edit of {proposal.path}; nothing was changed. If you want it, make it "
            f"by hand, then reject it: `holdfast review --diff {proposal.id}` shows it."
        )
    found = skill_of(plan)
    if not found:
        raise HoldfastError(
            f"{proposal.path} is no longer the file of the skill {plan.name}; nothing was changed, and the edit still "
            "waits."
        )
    text = found.text
    wanted = plan.after if text == plan.before else merged(plan.before, text, plan.after)
    if wanted is None or wanted == text:
        return wanted is not None
    why = unfinished(found)
    if why:
        raise HoldfastError(
            f"{proposal.path} was left as it is, since {why}. Commit your own work, then accept it again."
        )
    if not make(replace(plan, before=text, after=wanted)):
        raise HoldfastError(f"{proposal.path} was edited at this very moment; the edit was kept. Run it again.")
    return True


def take_back(record: Record) -> str:
    """The skill's file without the edit; "" where it does not have it. Raises UsageError where both changed it."""
    plan = find_plan(record.id)
    if not plan:
        _refuse_unplanned(record)
    skill = skill_of(plan) if plan else None
    text = skill.text if skill else ""
    bare = without_lines(text, plan.lines) if plan else text
    if not plan or not skill or text == bare:
        return ""
    is_clear = text == plan.after or bare == plan.before
    wanted = plan.before if is_clear else merged(plan.after, text, plan.before)
    if wanted is None:
        raise UsageError(
            f"{plan.path} was changed again where this snag changed it; nothing was changed. Take it back by hand: "
            f"{record.path} has the reverse patch."
        )
    if not write(skill.path, text, wanted):
        raise HoldfastError(f"{plan.path} was edited at this very moment; the edit was kept. Run it again.")
    return plan.path


def _refuse_unplanned(record: Record) -> None:
    """This machine takes nothing out of a file that it has not planned; once it is out, the rest can go."""
    found = look(record.file, record.top)
    if found and without_lines(found.text, record.added) != found.text:
        raise UsageError(
            f"This machine does not know of an edit of {record.file}; nothing was changed. If its lines are unwanted, "
            f"take them out by hand ({record.path} names them), then run it again."
        )


def _folder() -> str:
    return f"{own_state()}/skills"
