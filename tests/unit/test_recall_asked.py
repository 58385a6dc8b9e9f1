"""A first prompt where a server is up: it is asked, within a deadline, and only if it is ours; else words answer."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hook_support import PYTHON, SOURCE, Home, a_home, wait_until
from serve_support import mode_of, serving
from test_recall import LOADED, NEVER, NOTES, index

from holdfast.brief import prompt_by_words, recall
from holdfast.field import handle, intake
from holdfast.field.embedder_models import WordLlama
from holdfast.serve import hook_socket
from holdfast.serve.service import Serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from serve_support import Server

BY_WORDS = "Umlauts are broken in the supplier CSV files"
CSV = "knowledge/csv-encoding.md"
BY_MEANING = "Uploaded photos make the thumbnail worker run out of memory"
IMAGES = "knowledge/image-resize.md"
NOTHING = "Translate the login form to French"
NUMBERS = itertools.count()
LABELLED = [{"name": name, "body": body, "description": name} for name, body in NOTES.items()]


@pytest.fixture
def shop(fresh: Home) -> Home:
    """A vault of the labelled notes, each with more to say than a start would say of it."""
    index(fresh, LABELLED)
    return fresh


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is about the answer and not the deadline, a busy machine has time."""
    monkeypatch.setattr(recall, "WITHIN", 20.0)
    monkeypatch.setattr(prompt_by_words, "WITHIN", 10.0)


@pytest.fixture
def words_unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_by_words, "WITHIN", 10.0)


def prompt(where: Home, text: str, session: str = "s1", **more: object) -> str:
    return where.answer(where.event("UserPromptSubmit", session, prompt=text, **more))


def last(where: Home) -> dict[str, Any]:
    return [one for one in where.ledger("hook") if one["event"] == "prompt"][-1]


def served(where: Home, text: str) -> str:
    """What a first prompt is told by the server: in a new session, until a machine that is busy has time for it."""
    told: list[str] = []

    def is_answered() -> bool:
        told.append(prompt(where, text, f"n{next(NUMBERS)}"))
        return bool(last(where)["recall_by"] == "hybrid")

    wait_until("the server answers", is_answered)
    return told[-1]


def embedded(where: Home) -> None:
    """Vectors as a server makes them in the background; here before anybody asks."""
    with handle.opened(str(where.vault), WordLlama()) as field:
        intake.sync(field)


# --- a server that is up


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with a_home(tmp_path_factory.mktemp("up")) as made:
        index(made, LABELLED)
        embedded(made)
        with serving(made) as server:
            yield server
            assert server.stop() == 0
            assert server.process.stderr
            assert server.process.stderr.read() == "", "whatever hooks and others have said to it"


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_what_means_the_same_in_other_words_comes_while_a_server_is_up(up: Server) -> None:
    shop = up.home
    assert mode_of(f"{shop.state}/{recall.SOCKET}") == 0o600
    told = served(shop, BY_MEANING)
    assert IMAGES in told
    assert told.startswith("<holdfast-memory>\n")
    assert last(shop)["recall_us"] > 0
    assert CSV in served(shop, BY_WORDS)
    assert served(shop, NOTHING) == ""
    assert prompt(shop, BY_MEANING, "s4", agent_id="a1", agent_type="general-purpose") == ""
    assert shop.errors() == []


@pytest.mark.slow
def test_the_real_hook_is_answered_by_the_real_server_within_its_deadline(up: Server) -> None:
    shop = up.home
    told: list[str] = []

    def is_answered() -> bool:
        """A machine that is busy with others may need more than 80 ms once; what is told has to come from meaning."""
        done = shop.hook(shop.event("UserPromptSubmit", f"p{next(NUMBERS)}", prompt=BY_MEANING))
        assert (done.status, done.err) == (0, "")
        told.append(done.context)
        assert last(shop)["recall_by"] in ("hybrid", "words")
        return bool(last(shop)["recall_by"] == "hybrid")

    wait_until("the server answers in time", is_answered)
    assert IMAGES in told[-1]
    assert shop.errors() == []


@pytest.mark.usefixtures("unhurried")
def test_who_asks_slowly_or_oddly_does_not_keep_others_from_an_answer(up: Server) -> None:
    shop = up.home
    rude = []
    for said in (b"", b'{"v": 1', b"x" * (2 * hook_socket.LARGEST), b"\n"):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        one.connect(f"{shop.state}/{recall.SOCKET}")
        with contextlib.suppress(OSError):
            one.send(said)
        rude.append(one)
    assert CSV in served(shop, BY_WORDS)
    for one in rude:
        one.close()


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_a_killed_server_is_nobody_the_next_takes_its_place_and_one_that_stopped_left_nothing(shop: Home) -> None:
    embedded(shop)
    path = Path(shop.state, recall.SOCKET)
    with serving(shop) as server:
        server.stop(signal.SIGKILL)
    assert path.is_socket()
    assert CSV in prompt(shop, BY_WORDS)
    assert (last(shop)["recall_by"], last(shop)["recall_asked"]) == ("words", recall.GONE)
    with serving(shop) as server:
        assert IMAGES in served(shop, BY_MEANING)
        assert server.stop() == 0
    assert not path.exists()
    assert prompt(shop, BY_MEANING, "s3") == ""
    assert last(shop)["recall_by"] == "words"
    assert "recall_asked" not in last(shop)


@pytest.mark.slow
def test_where_no_socket_can_be_made_the_server_serves_without(fresh: Home) -> None:
    fresh.vault = fresh.vault.parent / ("long" * 30)
    with serving(fresh) as server:
        assert server.get("/health").status == 200
        assert not os.path.lexists(f"{fresh.state}/{recall.SOCKET}")


@pytest.mark.slow
def test_a_first_prompt_that_asks_a_server_loads_nothing_that_costs(shop: Home) -> None:
    with listening(shop, ours(shop, [[CSV, []]])):
        command = [PYTHON, "-I", "-S", "-c", LOADED, str(SOURCE)]
        raw = json.dumps(shop.event("UserPromptSubmit", prompt=BY_WORDS)).encode()
        done = subprocess.run(command, env=shop.env, cwd=shop.project, input=raw, capture_output=True, check=True)
    loaded = set(done.stderr.decode().split())
    assert "_socket" in loaded
    assert not loaded & {*NEVER, "socket", "selectors", "http", "ssl", "email"}


# --- somebody else


class Listener:
    """A program on the vault's socket, and what it was told."""

    def __init__(self, path: str, talk: Callable[[socket.socket], None]) -> None:
        self.heard: list[bytes] = []
        self.over = threading.Event()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(4)
        self.listener.settimeout(0.05)
        self.talk = talk
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self.over.is_set():
            try:
                there, _ = self.listener.accept()
            except TimeoutError:
                continue
            there.settimeout(10)
            with there:
                try:
                    self.heard.append(there.recv(1 << 16))
                    self.talk(there)
                except OSError:
                    continue

    def stop(self) -> None:
        self.over.set()
        self.thread.join(20)
        self.listener.close()


@contextmanager
def listening(where: Home, talk: Callable[[socket.socket], None], path: str = "") -> Iterator[Listener]:
    made = Listener(path or f"{where.state}/{recall.SOCKET}", talk)
    try:
        yield made
    finally:
        made.stop()


def says(said: object) -> Callable[[socket.socket], None]:
    line = said if isinstance(said, bytes) else json.dumps(said).encode() + b"\n"
    return lambda there: there.sendall(line)


def ours(where: Home, found: list[Any], **more: object) -> Callable[[socket.socket], None]:
    whose = recall.identity(os.stat(where.state))
    return says({"v": recall.SPOKEN, "state": whose, "found": found, **more})


def until_left(there: socket.socket) -> None:
    """Say nothing, until the other end is gone."""
    while there.recv(1 << 16):
        pass


def drip(there: socket.socket) -> None:
    """A byte now and then, without an end."""
    pause = threading.Event()
    while True:
        there.sendall(b" ")
        pause.wait(0.005)


def endless(there: socket.socket) -> None:
    while True:
        there.sendall(b"x" * 4096)


FOUND = [[IMAGES, []]]
ODD = recall.ODD


@pytest.mark.slow
@pytest.mark.usefixtures("words_unhurried")
@pytest.mark.parametrize(
    ("talk", "why"),
    [
        (until_left, {recall.SLOW}),
        (drip, {recall.SLOW}),
        (endless, {ODD, recall.SLOW}),
        (lambda there: there.close(), {recall.GONE}),
        (says(b"HTTP/1.1 401 Unauthorized\r\n\r\n"), {ODD}),
        (says(b"\x00\xff\n"), {ODD}),
        (says(b"null\n"), {ODD}),
        (says({"v": 1, "state": "1.1", "found": FOUND}), {recall.ELSEWHERE}),
        (says({"v": 99, "state": "", "found": FOUND}), {recall.ANOTHER}),
        (says({"v": 1}), {ODD}),
    ],
    ids=["silent", "drips", "endless", "closes", "refuses", "no text", "null", "other vault", "other version", "short"],
)
def test_whoever_does_not_answer_as_our_server_does_is_left_and_words_answer(
    shop: Home, talk: Callable[[socket.socket], None], why: set[str]
) -> None:
    with listening(shop, talk):
        told = prompt(shop, BY_WORDS)
    assert CSV in told
    assert IMAGES not in told
    assert last(shop)["recall_by"] == "words"
    assert last(shop)["recall_asked"] in why
    assert shop.errors() == []


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("found", [[["a", 1]], [[CSV]], {"a": "b"}, [None], 7])
def test_an_answer_of_another_shape_is_none(shop: Home, found: Any) -> None:
    with listening(shop, ours(shop, found)):
        assert CSV in prompt(shop, BY_WORDS)
    assert last(shop)["recall_asked"] == ODD


@pytest.mark.slow
def test_the_real_hook_waits_for_nobody(shop: Home) -> None:
    with listening(shop, until_left):
        done = shop.hook(shop.event("UserPromptSubmit", prompt=BY_WORDS))
    assert (done.status, done.err) == (0, "")
    assert last(shop)["recall_asked"] == recall.SLOW
    assert shop.errors() == [], "the alarm after five seconds did not ring"


def test_a_queue_that_is_full_is_not_waited_for(shop: Home) -> None:
    path = f"{shop.state}/{recall.SOCKET}"
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(path)
        busy.listen(0)
        waiting = []
        for _ in range(4):
            one = socket.socket(socket.AF_UNIX)
            one.setblocking(False)
            one.connect_ex(path)
            waiting.append(one)
        prompt(shop, BY_WORDS)
        for one in waiting:
            one.close()
    assert last(shop)["recall_by"] == "words"
    assert last(shop)["recall_asked"] in (recall.SLOW, ODD)


# --- to whom a prompt is never said


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("what", ["a link to a socket", "a folder that others may write in", "a folder for a group"])
def test_nobody_but_our_own_server_hears_a_prompt(shop: Home, what: str) -> None:
    path = f"{shop.state}/{recall.SOCKET}"
    theirs = f"{shop.vault.parent}/x.sock" if "link" in what else path
    with listening(shop, ours(shop, FOUND), theirs) as other:
        if theirs != path:
            os.symlink(theirs, path)
        else:
            os.chmod(shop.state, 0o777 if "others" in what else 0o770)
        assert CSV in prompt(shop, BY_WORDS)
        os.chmod(shop.state, 0o700)
    assert last(shop)["recall_asked"] == recall.FOREIGN
    assert other.heard == []


STRANGER = """
import os, socket, sys
there = socket.socket(socket.AF_UNIX)
there.bind(sys.argv[1])
os.setuid(65534)
there.listen()
print("up", flush=True)
got, _ = there.accept()
got.settimeout(20)
print(got.recv(1 << 16), flush=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.usefixtures("unhurried")
def test_a_socket_of_ours_on_which_another_user_listens_hears_no_prompt(shop: Home) -> None:
    path = f"{shop.state}/{recall.SOCKET}"
    other = subprocess.Popen([sys.executable, "-c", STRANGER, path], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout
        assert other.stdout.readline() == "up\n"
        assert CSV in prompt(shop, BY_WORDS)
        assert other.stdout.readline() == "b''\n", "it was connected to, and left without a word"
    finally:
        other.kill()
        other.communicate()
    assert last(shop)["recall_asked"] == recall.FOREIGN


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_only_the_first_prompt_is_said_to_it_and_none_of_a_subagent(shop: Home) -> None:
    with listening(shop, ours(shop, FOUND)) as server:
        assert prompt(shop, NOTHING, "s9", agent_id="a1", agent_type="general-purpose") == ""
        assert server.heard == []
        assert IMAGES in prompt(shop, NOTHING)
        assert prompt(shop, BY_WORDS) == ""
    (heard,) = [json.loads(one) for one in server.heard]
    assert heard == {"v": recall.SPOKEN, "project": shop.project_id(), "prompt": NOTHING}


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_of_what_a_server_names_only_notes_of_the_vault_come_as_their_files_are(shop: Home) -> None:
    outside = shop.vault.parent / "secret.md"
    outside.write_text(Path(shop.vault, CSV).read_text(encoding="utf-8"), encoding="utf-8")
    named = [[f"knowledge/../../{outside.name}", []], [f"/{outside}", []], ["lineage/x.md", []], [CSV, ["elsewhere"]]]
    with listening(shop, ours(shop, named)):
        assert prompt(shop, NOTHING) == ""
    assert last(shop)["recall_by"] == "hybrid"
    assert shop.errors() == []


# --- the server's end


@pytest.fixture
def own(shop: Home) -> Serving:
    return Serving(str(shop.vault), str(shop.project), shop.env, time.time)


def test_a_question_that_is_none_of_ours_is_answered_with_nothing(own: Serving) -> None:
    good = {"v": recall.SPOKEN, "project": "", "prompt": BY_WORDS}
    assert hook_socket.answer(own, hook_socket.Pace(), json.dumps(good).encode())
    for asked in (b"", b"[]", b"{", b"GET / HTTP/1.1", json.dumps({**good, "v": 2}).encode(), b'{"v": 1}', b"\xff"):
        assert hook_socket.answer(own, hook_socket.Pace(), asked) == b""
    own.warm.stop()


def test_a_server_that_is_too_slow_for_a_hook_says_so_at_once_and_tries_again_later(own: Serving) -> None:
    asked = json.dumps({"v": recall.SPOKEN, "project": "", "prompt": BY_WORDS}).encode()
    pace = hook_socket.Pace()
    pace.spent = 5 * hook_socket.IN_TIME
    answers = [json.loads(hook_socket.answer(own, pace, asked))["found"] for _ in range(4)]
    assert [one is None for one in answers] == [True, True, True, False]
    own.warm.stop()


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_a_server_that_says_that_it_is_too_slow_is_believed(shop: Home) -> None:
    whose = recall.identity(os.stat(shop.state))
    with listening(shop, says({"v": recall.SPOKEN, "state": whose, "found": None})):
        assert CSV in prompt(shop, BY_WORDS)
    assert (last(shop)["recall_by"], last(shop)["recall_asked"]) == ("words", recall.BUSY)


@pytest.mark.slow
def test_a_question_of_another_project_sees_that_ones_notes_only(shop: Home, own: Serving) -> None:
    def found(project: str) -> list[Any]:
        asked = {"v": recall.SPOKEN, "project": project, "prompt": BY_WORDS}
        return list(json.loads(hook_socket.answer(own, hook_socket.Pace(), json.dumps(asked).encode()))["found"])

    assert [path for path, _ in found(shop.project_id())] == [CSV]
    assert found("other-1") == []
    own.warm.stop()


@pytest.mark.slow
def test_a_look_by_the_server_leaves_no_trace(shop: Home, own: Serving) -> None:
    embedded(shop)
    asked = {"v": recall.SPOKEN, "project": shop.project_id(), "prompt": BY_MEANING}

    def files() -> dict[str, bytes]:
        kept = [one for one in Path(shop.state).rglob("*") if one.is_file() and not one.name.endswith(("-shm", "-wal"))]
        return {str(one): one.read_bytes() for one in kept}

    before = files()
    assert json.loads(hook_socket.answer(own, hook_socket.Pace(), json.dumps(asked).encode()))["found"] == [
        [IMAGES, []]
    ]
    own.warm.stop()
    assert files() == before
    assert not Path(shop.state, "traffic").exists()
