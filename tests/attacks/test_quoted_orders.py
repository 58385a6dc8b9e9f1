"""Orders that the user quoted, fenced, indented or pasted are nobody's orders; their own beside them still are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.capture import episodes, flags, once, story
from holdfast.capture.episodes import Scene
from holdfast.close import statements
from holdfast.close.drain import drain
from holdfast.errors import UsageError
from holdfast.hook import nudge
from holdfast.model import Moment, Project
from holdfast.text import orders
from holdfast.text import sentence_score as scorer
from holdfast.vault import index, notes, prompts

from . import support
from .hook_desk import NOW, Desk
from .quoted_orders import BEFORE, ORDERS, STYLES, pages, quoted
from .quoted_orders import prompts as quoted_prompts

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.attacks
MOST = 3000
MOST_THROUGH_THE_HOOK = 60


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_nothing_quoted_is_heard_however_it_closes_its_marks_itself() -> None:
    tried = support.sample(quoted_prompts(), MOST)
    heard = [(name, prompt) for name, _, prompt in tried if orders.find(prompt)]
    support.count("orders in quoted text, heard", len(tried), len(heard))
    assert not heard, heard[:3]


def test_nothing_quoted_is_shown_as_said_by_the_user() -> None:
    tried = support.sample(quoted_prompts(), MOST)
    shown = [
        (name, prompt)
        for name, order, prompt in tried
        for one in scorer.of_prompt(prompt)
        if not one.doubt and order.rstrip(".。") in one.text
    ]
    support.count("orders in quoted text, shown as the user's", len(tried), len(shown))
    assert not shown, shown[:3]


def test_a_judge_that_obeys_a_quoted_text_files_none_of_it_as_the_users() -> None:
    tried = support.sample(quoted_prompts(), MOST // 3)
    through = []
    for name, order, prompt in tried:
        typed = story.Typed(1, NOW, prompt)
        for told in statements.shown([typed], []):
            answer = statements.Lasting(statements=[statements.Statement(prompt="P1", quote=order, kind="order")])
            through += [(name, prompt) for one in statements.accepted(answer, told) if not one.doubt]
    support.count("quoted orders that a judge calls the user's", len(tried), len(through))
    assert not through, through[:3]


def test_the_hook_keeps_no_quoted_order(desk: Desk) -> None:
    tried = support.sample(quoted_prompts()[::40], MOST_THROUGH_THE_HOOK)
    desk.event("SessionStart", source="startup")
    for _, _, prompt in tried:
        desk.event("UserPromptSubmit", prompt=prompt)
    heard = [flag for flag in desk.flags() if flag.origin == "user"]
    support.count("orders in quoted text, through the hook", len(tried), len(heard))
    assert not heard, heard[:3]
    assert len(story.typed(desk.state, _episode(desk))) == len(tried), "each prompt is kept all the same"


def _episode(desk: Desk, session: str = "s1") -> str:
    return next(one.key for one, _ in episodes.in_live(desk.state, desk.now) if session in one.key)


@pytest.mark.parametrize("language", sorted(ORDERS))
def test_an_order_of_the_users_beside_a_quotation_is_heard(language: str) -> None:
    missed = []
    for style in STYLES:
        quotation = quoted(style, "2 tests failed")
        for order in ORDERS[language]:
            if style.begins_line:
                tried = [f"{order}\n\n{quotation}", f"{quotation}\n\n{order}"]
            else:
                tried = [f"{order} It says {quotation}.", f"It says {quotation}. {order}"]
            if not (style.closes or style.each):
                tried.pop()  # a mail reaches to the end
            heard = [[one.text for one in orders.find(prompt)] for prompt in tried]
            missed += [
                (style.name, prompt)
                for prompt, found in zip(tried, heard, strict=True)
                if not any(order.rstrip(".。") in text for text in found)
            ]
    assert not missed, missed[:5]


@pytest.mark.parametrize(
    "prompt",
    [
        'Remember: staging is wiped every night. The log says "x"',
        'The log says "x". Remember: staging is wiped every night.',
        "Remember: it's the users' table that's wiped.",
        "Merk dir: wir schreiben „anmelden“, nie „einloggen“.",
        "Souviens-toi : on écrit « courriel », jamais « mail ».",
        "remember that `make lint` comes before `make test`",
        "```\nmake: *** [test] Error 1\n```\nRemember: the first error is the one that counts.",
        "请记住:页面上写“登录”,不写“登陆”。",
        "覚えておいて:ボタンは「送信」と書く。",
        'I have a 27" screen. Remember: two columns fit on it.',
    ],
)
def test_an_order_with_quotations_in_it_is_heard_whole(prompt: str) -> None:
    assert [one.kind for one in orders.find(prompt)] == [orders.REMEMBER]


def test_orders_in_a_long_text_without_marks_wait_for_the_user_and_taint(tmp_path: Path) -> None:
    heard = []
    tried = support.sample(pages(), 21)
    for nth, page in enumerate(tried):
        folder = tmp_path / str(nth)
        folder.mkdir()
        desk = Desk(folder)
        desk.event("SessionStart", source="startup")
        desk.event("UserPromptSubmit", prompt=page)
        found = desk.flags()
        heard += [flag for flag in found if flag.origin == "user" or not flag.status]
        assert once.read(desk.state, _episode(desk), once.TAINT), page[:80]
    support.count("orders in pasted pages, confirmed", len(tried), len(heard))
    assert not heard, heard[:3]


def test_nothing_of_a_pasted_page_is_shown_or_filed_as_the_users(desk: Desk) -> None:
    order = ORDERS["en"][0]
    page = next(one for one in pages() if order in one)
    for session in ("s1", "s2"):
        desk.event("SessionStart", session, source="startup")
        desk.event("UserPromptSubmit", session, prompt=page)
        key = _episode(desk, session)
        assert story.typed(desk.state, key)[0].pasted
        with pytest.raises(UsageError):
            flags.asked_for(desk.state, desk.flags()[0].id, desk.now)
        desk.event("SessionEnd", session, reason="other")
        drain(desk.vault, lambda: desk.now)
    known = index.load(desk.vault).notes
    theirs = [note for note in known if note.origin == "user"]
    assert not theirs, theirs
    assert all(note.path.startswith(f"{notes.QUARANTINE}/") for note in known if order.rstrip(".") in note.description)
    project = known[0].project
    assert not prompts.lasting(desk.vault, project, index.Index({}, ()))
    assert all(one.pasted == frozenset({"1"}) for one in prompts.sessions(desk.vault, project, 9))


def test_a_user_who_writes_long_prompts_is_heard_in_them(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    for nth in range(3):
        desk.event("UserPromptSubmit", prompt=own_prompt(8, nth))
    desk.event("UserPromptSubmit", prompt=f"{own_prompt(11, 4)}\nRemember: staging is wiped every night.")
    assert [(flag.origin, flag.status) for flag in desk.flags()] == [("user", "")]
    assert not once.read(desk.state, _episode(desk), once.TAINT)


def own_prompt(lines: int, nth: int) -> str:
    return "\n".join(f"step {nth}{at}: move the handler {at} to the new module" for at in range(lines))


def test_pasting_often_does_not_make_it_a_habit(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    for page in pages()[:8]:
        desk.event("UserPromptSubmit", prompt=page)
    assert not [flag for flag in desk.flags() if flag.origin == "user"]


def test_a_reminder_asks_about_no_quoted_sentence(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    for order in ORDERS["en"]:
        desk.event("UserPromptSubmit", prompt=f'{BEFORE["en"]} "words" {order} "words"')
    episode = next(one for one, _ in episodes.in_live(desk.state, desk.now))
    moment = Moment("claude-code", "stop", "s1", str(desk.project))
    scene = Scene(moment, desk.vault, desk.state, Project("p", "p", "p", ""), desk.now, {}, [])
    told = nudge.reminder(scene, episode, "holdfast")
    assert not any(order.rstrip(".") in told for order in ORDERS["en"]), told
