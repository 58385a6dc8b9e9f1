"""What the tests of the improvement loop share: a desk with a real vault, a repository with skills, and a close that
does with snags what the drain does, in its order: plan, commit, apply what is outside, tell."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.capture import flags, home, notices
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.filing import Filing
from holdfast.close.improve import improvement, loops
from holdfast.close.improve.loops import Loop
from holdfast.vault import notes
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from holdfast.close.improve.advice import Advice
    from holdfast.model import Flag

NOW = 1_790_000_000.0
SHOP, OTHER = "shop-11111111", "other-22222222"
SKILL = "---\nname: render\ndescription: renders plans\n---\n\n# Render\n\nOpen the file, then render it.\n"


@dataclass
class Desk:
    """One vault, one project with a repository, one user with a home. The clock is the test's."""

    folder: Path
    now: float = NOW
    count: int = 0
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.vault = str(self.folder / "vault")
        self.state = home.state(self.vault)
        self.root = self.folder / "shop"
        self.user = self.folder / "home"
        for one in (self.root, self.user):
            one.mkdir(parents=True)
        self.git("init", "--quiet")
        home.make_vault(self.vault)

    def git(self, *words: str) -> str:
        env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words]
        done = subprocess.run(command, cwd=self.root, env=env, check=True, capture_output=True, text=True)
        return done.stdout

    def log(self, count: int = 1, form: str = "%s") -> list[str]:
        command = ["git", "-C", self.vault, "log", f"-n{count}", f"--format={form}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()

    def changed(self) -> list[str]:
        """The files of the newest commit."""
        command = ["git", "-C", self.vault, "show", "--format=", "--name-only", "HEAD"]
        return sorted(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())

    def skill(self, name: str = "render", text: str = SKILL, top: Path | None = None, folder: str = ".claude") -> Path:
        path = (top or self.root) / folder / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        if not top:
            self.git("add", "-A")
            self.git("commit", "--quiet", "-m", "a skill")
        return path

    def allow(self, word: str = "apply") -> None:
        Path(f"{self.state}/config.toml").write_text(f'[improve]\nskills = "{word}"\n', encoding="utf-8")

    def snag(self, wrong: str, better: str = "", *evidence: str, **more: Any) -> Flag:
        self.count += 1
        given = {"kind": "snag", "project": SHOP, "now": self.now + self.count, **more}
        text = f"{wrong}. Better: {better}" if better else wrong
        return flags.make(text, evidence=evidence, nth=self.count, **given)[0]

    def place(self) -> improvement.Surroundings:
        made = improvement.Surroundings.of(self.vault, str(self.root))
        return improvement.Surroundings(made.state, made.root, str(self.user), made.may_edit_skills)

    def plan(self, *given: Flag, advice: Advice | None = None) -> tuple[list[Loop], str]:
        """The commit alone, as a close that is killed behind it leaves things."""
        with writing(self.vault, self.now) as writer:
            filing = Filing(writer.index, writer.read, str(self.root))
            found = [improvement.file(filing, flag, advice, self.place()) for flag in given]
            assert set(filing.placed) >= {flag.id for flag in given}
            texts = filing.texts
            done = (
                writer.commit("close", texts, cause="close", planned_on=filing.planned_on, by=BY_UPKEEP)
                if texts
                else None
            )
        return found, done.commit if done else ""

    def close(self, *given: Flag, advice: Advice | None = None) -> list[Loop]:
        found, commit = self.plan(*given, advice=advice)
        improvement.apply_pending(self.vault, self.state, self.now)
        improvement.after_commit(self.state, found, commit[:10], self.now, SHOP)
        loops.after_close(self.vault, self.state, self.now, SHOP)
        return found

    def write(self, path: str, **fields: Any) -> None:
        """A note that is there already."""
        given = {"kind": "rule", "project": SHOP, "origin": "agent", "body": "Keep it small.", **fields}
        name = given.pop("name", path.rpartition("/")[2].removesuffix(".md"))
        text = notes.new_text(name=name, description=f"about {name}", day="2026-01-01", **given)
        with writing(self.vault, self.now) as writer:
            writer.commit("test", {path: text}, cause="test", by=BY_UPKEEP)

    def text(self, path: str) -> str:
        return Path(self.vault, path).read_text(encoding="utf-8")

    def note(self, path: str) -> notes.Note:
        found = notes.read(self.vault, path)
        assert isinstance(found, notes.Note), found
        return found

    def files(self, folder: str) -> list[str]:
        return sorted(one.name for one in Path(self.vault, folder).glob("*.md"))

    def tree(self) -> dict[str, str]:
        """Everything of the vault that is memory."""
        top = Path(self.vault)
        found = [
            one for one in top.rglob("*") if one.is_file() and one.relative_to(top).parts[0] not in (".git", ".state")
        ]
        return {str(one.relative_to(top)): one.read_text(encoding="utf-8") for one in found}

    def notices(self, project: str = SHOP) -> list[str]:
        return [one.line for one in notices.for_project(self.state, project, self.now)]

    def listing(self) -> loops.Loops:
        return loops.listing(self.vault, self.state, self.now, SHOP)
