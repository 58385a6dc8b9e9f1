"""Two projects made one, and taken apart again: no file of the memory is rewritten, and nothing is guessed."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, Terminal

from holdfast.brief import brief_file
from holdfast.capture import home, platform, projects, same_project
from holdfast.memory import Memory
from holdfast.serve.service import Serving
from holdfast.serve.tokens import Caller
from holdfast.vault.merge import merge

SHOP, API = "The shop ships on Tuesdays", "The interface answers in JSON"


class Two:
    """The projects `shop` and `api`; with memory, each has a note, a task, a handoff and a flag that waits."""

    def __init__(self, fresh: Home, terminal: Terminal, *, has_memory: bool) -> None:
        self.home, self.run = fresh, terminal
        self.shop, self.api = fresh.project, fresh.folder / "api"
        self.api.mkdir()
        for folder, text in ((self.shop, SHOP), (self.api, API)):
            name = folder.name
            projects.find(str(folder), str(fresh.vault))
            if not has_memory:
                continue
            self.done("remember", f"{text} ({name} note)", cwd=folder)
            self.done("task", "start", f"{name}-task", f"Goal of {name}", cwd=folder)
            session = f"s-{name}"
            self.hook("SessionStart", folder, session, source="startup")
            fresh.flag(f"A flag of {name} in its session", session, cwd=folder)
            self.hook("SessionEnd", folder, session, reason="other")
            self.done("close", cwd=folder)
            fresh.flag(f"{name} flag waits", cwd=folder)
        self.ids = {one: projects.find(str(self.folder(one)), str(fresh.vault)).id for one in ("shop", "api")}

    def folder(self, name: str) -> Path:
        return self.home.folder / name

    def done(self, *words: str, cwd: Path | None = None) -> str:
        found = self.run(*words, cwd=cwd)
        assert found.status == 0, found.err
        return found.out

    def refused(self, *words: str, cwd: Path | None = None) -> str:
        before = self.registry()
        found = self.run(*words, cwd=cwd)
        assert found.status != 0, found.out
        assert "Traceback" not in found.err
        assert self.registry() == before
        return found.err

    def registry(self) -> str:
        return (self.home.vault / "projects.toml").read_text()

    def write(self, text: str) -> None:
        (self.home.vault / "projects.toml").write_text(text)

    def hook(self, name: str, folder: Path, session: str, **more: object) -> str:
        """A real hook process."""
        event = {"hook_event_name": name, "session_id": session, "cwd": str(folder), **more}
        done = self.home.hook(event, cwd=folder)
        assert done.status == 0, done.err
        return done.out

    def told(self, folder: Path) -> dict[str, str]:
        """What each way of asking says in a folder."""
        self.done("boot", cwd=folder)
        session = f"look-{folder.name}-{time.time_ns()}"
        start = self.hook("SessionStart", folder, session, source="startup")
        self.hook("SessionEnd", folder, session, reason="other")
        return {
            "start": start,
            "brief": self.done("boot", cwd=folder),
            "notes": self.done("notes", cwd=folder),
            "recall": self.run("recall", f"{SHOP} {API}", cwd=folder).out,
            "tasks": self.done("task", "list", cwd=folder),
            "queue": self.done("queue", cwd=folder),
            "handoffs": " ".join(one.path for one, _ in self.memory(folder).sessions.handoffs()),
        }

    def memory(self, folder: Path) -> Memory:
        return Memory.open(str(self.home.vault), str(folder), env=self.home.env)

    def listed(self) -> list[dict[str, Any]]:
        return list(json.loads(self.done("project", "list", "--json"))["projects"])


@pytest.fixture
def two(fresh: Home, terminal: Terminal) -> Two:
    return Two(fresh, terminal, has_memory=True)


@pytest.fixture
def bare(fresh: Home, terminal: Terminal) -> Two:
    home.make_vault(str(fresh.vault))
    return Two(fresh, terminal, has_memory=False)


WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "start": {"shop": ("shop note", "shop-task", "shop flag waits"), "api": ("api note", "api-task", "api flag waits")},
    "brief": {"shop": ("shop note", "shop-task", "shop flag waits"), "api": ("api note", "api-task", "api flag waits")},
    "notes": {"shop": ("shop note",), "api": ("api note",)},
    "recall": {"shop": (SHOP,), "api": (API,)},
    "tasks": {"shop": ("shop-task",), "api": ("api-task",)},
    "queue": {"shop": ("shop flag waits",), "api": ("api flag waits",)},
    "handoffs": {"shop": ("lineage/shop-",), "api": ("lineage/api-",)},
}


def shows(told: dict[str, str], *names: str) -> list[str]:
    """What is missing of these projects, and what is there of others."""
    wrong = []
    for way, text in told.items():
        for name, words in WORDS[way].items():
            wrong += [f"{way}: {word!r}" for word in words if (word in text) != (name in names)]
    return wrong


# --- merging


@pytest.mark.slow
def test_both_folders_show_the_memory_of_both_after_a_merge_and_each_its_own_once_it_is_taken_back(two: Two) -> None:
    assert shows(two.told(two.shop), "shop") == []
    assert shows(two.told(two.api), "api") == []
    before = two.registry()

    said = two.done("project", "merge", "api", cwd=two.shop)
    assert f"merged {two.ids['api']} into {two.ids['shop']}" in said
    assert shows(two.told(two.shop), "shop", "api") == []
    assert shows(two.told(two.api), "shop", "api") == []

    said = two.done("project", "split", two.ids["api"])
    assert "a project of its own again" in said
    assert two.registry().strip() == before.strip()
    assert shows(two.told(two.shop), "shop") == []
    assert shows(two.told(two.api), "api") == []


@pytest.mark.slow
def test_a_merge_rewrites_no_note_handoff_task_or_flag(two: Two) -> None:
    def remembered() -> dict[str, bytes]:
        tops = ("identity", "rules", "knowledge", "feedback", "projects", "lineage", "tasks", "prompts", ".state/queue")
        files = [path for top in tops for path in (two.home.vault / top).rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in files}

    before = remembered()
    two.done("project", "merge", "api", "shop")
    assert remembered() == before


@pytest.mark.slow
def test_what_is_new_goes_under_the_id_that_stays(bare: Two) -> None:
    bare.done("project", "merge", "api", "shop")
    assert bare.home.flag("Written in api", cwd=bare.api).project == bare.ids["shop"]
    done = bare.done("remember", "A new note from the folder of api", "--json", cwd=bare.api)
    assert bare.ids["shop"] in (bare.home.vault / json.loads(done)["path"]).read_text()


@pytest.mark.slow
def test_a_close_files_what_waited_of_a_merged_project_and_takes_its_mark_away(two: Two) -> None:
    two.hook("SessionStart", two.api, "late", source="startup")
    two.home.flag("Said in api before the merge", "late", cwd=two.api)
    two.hook("SessionEnd", two.api, "late", reason="other")
    two.done("project", "merge", "api", "shop")
    two.done("close", cwd=two.shop)
    assert two.home.waiting() == []
    assert not any((Path(two.home.state) / "marks").iterdir())
    newest = two.memory(two.api).sessions.handoffs()[0][0]
    assert newest.project == two.ids["shop"]
    assert "Said in api before the merge" in two.done("notes", cwd=two.shop)


@pytest.mark.slow
def test_the_newest_handoff_of_either_folder_is_the_one_that_a_start_loads(two: Two) -> None:
    two.done("project", "merge", "shop", cwd=two.api)
    (first, _), (second, _) = two.memory(two.shop).sessions.handoffs()
    assert (first.project, second.project) == (two.ids["api"], two.ids["shop"])
    here = projects.find(str(two.shop), str(two.home.vault))
    shown = [part.path for part in brief_file.load(str(two.home.vault), two.home.state, here).parts]
    assert next(path for path in shown if path.startswith("lineage/")) == first.path


def test_the_usual_look_at_a_merged_folder_reads_only_its_cache(bare: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    bare.done("project", "merge", "api", "shop")
    first = projects.find(str(bare.api), str(bare.home.vault))
    read: list[str] = []
    real = platform.read_file

    def watched(path: str, *more: int) -> bytes:
        read.append(path)
        return real(path, *more)

    monkeypatch.setattr(platform, "read_file", watched)
    assert projects.find(str(bare.api), str(bare.home.vault)) == first
    assert first.ids == (bare.ids["shop"], bare.ids["api"])
    assert [path.rpartition("/")[0] for path in read] == [f"{bare.home.state}/projects"]


def test_a_folder_that_is_gone_is_still_part_of_the_merge(bare: Two) -> None:
    bare.api.rename(bare.home.folder / "elsewhere")
    bare.done("project", "merge", "api", "shop")
    assert projects.find(str(bare.api), str(bare.home.vault)).ids == (bare.ids["shop"], bare.ids["api"])


@pytest.mark.slow
def test_an_alias_that_comes_during_a_merge_goes_with_its_own_project(bare: Two) -> None:
    bare.done("project", "merge", "api", "shop")
    projects.find(str(bare.api), str(bare.home.vault))
    subprocess.run(["git", "init", "-q", str(bare.api)], check=True)
    origin = "https://example.com/ada/api.git"
    subprocess.run(["git", "-C", str(bare.api), "remote", "add", "origin", origin], check=True)
    assert projects.find(str(bare.api), str(bare.home.vault)).id == bare.ids["shop"]
    bare.done("project", "split", "api")
    assert projects.find(str(bare.api), str(bare.home.vault)).id == bare.ids["api"]


@pytest.mark.slow
def test_the_list_shows_what_was_merged(two: Two) -> None:
    two.done("project", "merge", "api", "shop")
    (one,) = two.listed()
    assert (one["id"], one["merged"]) == (two.ids["shop"], [two.ids["api"]])
    assert (one["notes"] >= 4, one["handoffs"], one["waiting"]) == (True, 2, 2)
    assert len(one["keys"]) == 2
    assert f"merged into it: {two.ids['api']}" in two.done("project", "list")


@pytest.mark.slow
def test_merges_and_splits_answer_as_json(bare: Two) -> None:
    done = json.loads(bare.done("project", "merge", "api", "shop", "--json"))
    assert (done["project"], done["into"], bool(done["commit"])) == (bare.ids["api"], bare.ids["shop"], True)
    done = json.loads(bare.done("project", "split", "api", "--json"))
    assert (done["project"], done["of"], done["key"]) == (bare.ids["api"], [bare.ids["shop"]], "")


# --- clashes


@pytest.mark.slow
def test_a_project_is_not_merged_into_itself_twice_or_in_a_circle(bare: Two) -> None:
    assert "into itself" in bare.refused("project", "merge", "shop", cwd=bare.shop)
    bare.done("project", "merge", "api", "shop")
    assert "already" in bare.refused("project", "merge", "api", "shop")
    assert "into itself" in bare.refused("project", "merge", "shop", "api")


def test_a_name_that_may_mean_two_projects_or_none_changes_nothing(bare: Two) -> None:
    again = bare.home.folder / "more" / "api"
    again.mkdir(parents=True)
    projects.find(str(again), str(bare.home.vault))
    assert "may be" in bare.refused("project", "merge", "api", "shop")
    assert "no project" in bare.refused("project", "merge", "unheard-of", "shop")
    assert "No project has the key" in bare.refused("project", "split", "unheard-of")


CIRCLES = {
    "two that lead to each other": [("api", "shop"), ("shop", "api")],
    "one that leads to itself": [("api", "api")],
    "three in a ring": [("api", "third"), ("third", "shop"), ("shop", "api")],
    "one into two": [("api", "shop"), ("api", "third")],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CIRCLES)
def test_merges_that_contradict_each_other_are_said_and_merge_nothing(two: Two, case: str) -> None:
    """As a sync of two machines leaves them."""
    ids = {**two.ids, "third": "third-00000000"}
    more = [projects.table("merged", project=ids[one], into=ids[into]) for one, into in CIRCLES[case]]
    two.write(two.registry() + "".join(more))
    told = two.told(two.api)
    assert "projects.toml merges" in told["start"]
    assert shows(told, "api") == []
    assert shows(two.told(two.shop), "shop") == []
    assert "projects.toml merges" in two.refused("project", "merge", "api", "shop")
    two.done("project", "split", "api")
    assert "projects.toml merges" not in two.told(two.api)["start"]


@pytest.mark.slow
def test_a_long_chain_and_a_tail_on_a_circle_come_to_an_end() -> None:
    chain = [{"project": f"p{nth}", "into": f"p{nth + 1}"} for nth in range(5000)]
    names, clashes = same_project.of_table({"merged": chain})
    assert (names["p0"], clashes) == ("p5000", {})
    ring = [{"project": one, "into": into} for one, into in (("a", "b"), ("b", "c"), ("c", "b"))]
    names, clashes = same_project.of_table({"merged": ring})
    assert (names, sorted(clashes)) == ({"a": "b"}, ["b", "c"])


@pytest.mark.slow
@pytest.mark.parametrize("odd", ["merged = 3\n", "[merged]\nproject = 1\n", '[[merged]]\nproject = "x"\n'])
def test_a_table_that_is_none_merges_nothing_and_stops_nothing(two: Two, odd: str) -> None:
    two.write(odd + two.registry() if odd.startswith("merged") else two.registry() + odd)
    assert shows(two.told(two.shop), "shop") == []
    two.refused("project", "merge", "api", "shop")


# --- splitting


@pytest.mark.slow
def test_a_split_folder_starts_fresh_and_everything_is_still_there_with_all(two: Two) -> None:
    alias = projects.table("alias", project=two.ids["shop"], key="path:elsewhere:/srv/shop")
    tail = projects.find(str(two.shop), str(two.home.vault)).key
    two.write(two.registry() + alias)
    said = two.done("project", "split", str(two.shop), "--as", "Web Shop")
    fresh = projects.find(str(two.shop), str(two.home.vault))
    assert (fresh.slug, fresh.key, fresh.clash) == ("web-shop", tail, "")
    assert fresh.id not in two.ids.values()
    assert f"stays with {two.ids['shop']}" in said
    told = two.told(two.shop)
    assert shows(told) == []
    assert "shop note" in two.done("notes", "--all", cwd=two.shop)
    keys = {one["id"]: one["keys"] for one in two.listed()}
    assert keys[two.ids["shop"]] == ["path:elsewhere:/srv/shop"]
    assert keys[fresh.id] == [tail]
    two.done("project", "merge", fresh.id, two.ids["shop"])
    assert shows(two.told(two.shop), "shop") == []


def test_an_alias_is_split_off_by_its_key_and_the_rest_of_the_file_stays(bare: Two) -> None:
    alias = f'[[alias]]\n# the old server\nproject = "{bare.ids["shop"]}"\nkey = "url:example.com/ada/old"\n'
    bare.write(f"# mine\n{bare.registry()}\n{alias}# behind it\n")
    bare.done("project", "split", "example.com/ada/old")
    after = bare.registry()
    assert all(one in after for one in ("# mine\n", "# the old server\n", "# behind it\n"))
    assert ["url:example.com/ada/old"] in [one["keys"] for one in bare.listed()]


@pytest.mark.parametrize(
    "keys",
    [
        '["url:example.com/a/b", "{key}"]',
        '["{key}", "url:example.com/a/b"]',
        "[\n  '{key}', # here\n  'url:example.com/a/b',\n]",
    ],
)
def test_a_key_is_taken_out_of_a_list_however_it_is_written(bare: Two, keys: str) -> None:
    key = projects.find(str(bare.shop), str(bare.home.vault)).key
    bare.write(bare.registry().replace(f'["{key}"]', keys.replace("{key}", key)))
    bare.done("project", "split", key)
    found = {one["id"]: one["keys"] for one in bare.listed()}
    assert found[bare.ids["shop"]] == ["url:example.com/a/b"]
    assert projects.find(str(bare.shop), str(bare.home.vault)).id != bare.ids["shop"]


def test_the_only_key_and_a_key_of_two_projects_are_not_split(bare: Two) -> None:
    key = projects.find(str(bare.shop), str(bare.home.vault)).key
    assert "only key" in bare.refused("project", "split", key)
    bare.write(bare.registry() + projects.table("alias", project=bare.ids["api"], key=key))
    assert "may be" in bare.refused("project", "split", key)


def test_a_registry_that_cannot_be_read_is_left_as_it_is(bare: Two) -> None:
    bare.write(bare.registry() + "<<<<<<< ours\n")
    assert "cannot be read" in bare.refused("project", "merge", "api", "shop")
    assert "cannot be read" in bare.refused("project", "split", "api")


# --- what else asks for a project's memory


@pytest.mark.slow
def test_an_armed_note_of_a_merged_project_comes_back_in_the_other_folder(bare: Two) -> None:
    bare.done("remember", "The user wants tabs", "--name", "tabs", cwd=bare.api)
    bare.done("arm", "tabs", "--word", "reindent", cwd=bare.api)

    def call(session: str) -> str:
        bare.hook("SessionStart", bare.shop, session, source="startup")
        more = {"tool_name": "Bash", "tool_input": {"command": "make reindent"}, "tool_use_id": "1"}
        said = bare.hook("PreToolUse", bare.shop, session, **more)
        bare.hook("SessionEnd", bare.shop, session, reason="other")
        return said

    assert "wants tabs" not in call("before")
    bare.done("project", "merge", "api", "shop")
    assert "wants tabs" in call("merged")
    bare.done("project", "split", "api")
    assert "wants tabs" not in call("after")


@pytest.mark.slow
def test_a_check_a_history_and_prompts_are_of_both(bare: Two) -> None:
    for folder in (bare.shop, bare.api):
        session = f"typed-{folder.name}"
        bare.hook("SessionStart", folder, session, source="startup")
        bare.hook("UserPromptSubmit", folder, session, prompt=f"Please count the words of {folder.name}")
        bare.hook("SessionEnd", folder, session, reason="other")
        bare.done("close", cwd=folder)
    assert "words of api" not in bare.done("prompts", cwd=bare.shop)
    bare.done("project", "merge", "api", "shop")
    assert all(one in bare.done("prompts", cwd=bare.shop) for one in ("words of api", "words of shop"))
    told = bare.done("history", cwd=bare.shop)
    assert all(bare.ids[one] in told for one in ("api", "shop"))
    assert bare.run("check", cwd=bare.shop).status == 0
    assert bare.ids["shop"] in bare.done("audit", cwd=bare.api)


@pytest.mark.slow
def test_a_token_of_a_merged_project_sees_what_its_folder_sees(two: Two) -> None:
    two.done("project", "merge", "api", "shop")
    serving = Serving(str(two.home.vault), str(two.home.folder), two.home.env)
    caller = Caller("ci", two.ids["api"])
    seen = serving.memory(caller)
    assert seen.at.project().ids == (two.ids["shop"], two.ids["api"])
    assert {one.project for one in seen.notes.index().notes} == {two.ids["shop"]}
    assert {one.id for one in seen.tasks.listing()} == {"shop-task", "api-task"}


# --- between machines


def test_a_split_on_one_machine_and_a_new_project_on_another_are_both_kept() -> None:
    first, other = (projects.table("project", id=one, slug=one, keys=[f"url:{one}"]) for one in ("a", "b"))
    merged = projects.table("merged", project="b", into="a")
    fresh = projects.table("project", id="c", slug="c", keys=["url:c"])
    base = f"{first}{other}{merged}"
    done = merge("projects.toml", base, f"{first}{other}", f"{base}{fresh}")
    assert not done.conflict
    assert "[[merged]]" not in str(done.text)
    assert 'id = "c"' in str(done.text)


@pytest.mark.slow
def test_a_merge_is_taken_back_by_a_split_and_not_by_an_undo(bare: Two) -> None:
    bare.done("project", "merge", "api", "shop")
    change = json.loads(bare.done("history", "-n", "1", "--json", "--all"))["changes"][0]
    assert "is merged into" in json.dumps(change)
    assert "Nothing of the change" in bare.refused("undo", change["id"])
    bare.done("project", "split", "api")
    assert projects.find(str(bare.api), str(bare.home.vault)).ids == (bare.ids["api"],)
