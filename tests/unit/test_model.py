"""Value objects: frozen, compared by value, and complete. Errors: one sentence each."""

from __future__ import annotations

import copy

import pytest

from holdfast import errors
from holdfast.model import Flag, Moment, Process, Project, Reply, replace, value

PROCESS = Process("m", "b", "n", 7, 8)


def test_values_that_hold_the_same_are_the_same() -> None:
    assert Process(machine="m", boot="b", namespace="n", pid=7, start=8) == PROCESS
    assert hash(PROCESS) == hash(Process("m", "b", "n", 7, 8))
    assert replace(PROCESS, pid=9) != PROCESS
    assert len({PROCESS, copy.deepcopy(PROCESS), replace(PROCESS)}) == 1


def test_a_value_of_another_class_is_another_value() -> None:
    @value
    class Twin:
        machine: str
        boot: str
        namespace: str
        pid: int
        start: int

    others: list[object] = [Twin("m", "b", "n", 7, 8), dict(PROCESS.__dict__), ("m", "b", "n", 7, 8), None]
    assert PROCESS not in others


def test_a_value_cannot_change() -> None:
    with pytest.raises(AttributeError, match="Process is frozen; pid cannot change"):
        PROCESS.pid = 9  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del PROCESS.pid
    with pytest.raises(AttributeError, match="frozen"):
        PROCESS.mood = "sunny"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), (("m",), {}), ((1, 2, 3, 4, 5, 6), {}), ((1, 2, 3, 4), {"strat": 5}), ((1, 2, 3, 4, 5), {"x": 6})],
)
def test_a_value_takes_exactly_its_fields(given: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="Process"):
        Process(*given, **named)  # type: ignore[arg-type]


def test_fields_that_may_be_missing_have_defaults_and_are_not_shared() -> None:
    assert Reply() == Reply("", ())
    moment = Moment("h", "prompt", "s", "/")
    assert (moment.source, moment.pid, moment.flags) == ("", 0, ())
    assert Project("i", "s", "k", "/").off is False
    assert Moment.source == ""
    assert replace(moment, source="x").source == "x"
    assert moment.source == ""


def test_a_value_that_extends_another_has_the_fields_of_both() -> None:
    @value
    class Started(Process):
        by: str = "init"

    made = Started("m", "b", "n", 7, start=8)
    assert made.__dict__ == {**PROCESS.__dict__, "by": "init"}
    assert replace(made, by="cron").by == "cron"
    assert made != PROCESS
    with pytest.raises(TypeError, match="Started"):
        Started(by="cron")  # type: ignore[call-arg]


def test_a_copy_with_a_field_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError):
        replace(PROCESS, mood="sunny")


def test_a_value_is_shown_as_it_is_made() -> None:
    assert repr(Reply("t", ("A",))) == "Reply(text='t', carried=('A',), decision='', reason='', line='')"


def test_a_flag_is_recorded_with_its_version_and_a_process_with_all_it_is_known_by() -> None:
    flag = Flag("A", 1.5, "h", "h/s/1", "p", "fact", "text", ("e",), "user")
    assert flag.as_record() == {
        "v": 1,
        "id": "A",
        "time": 1.5,
        "host": "h",
        "episode": "h/s/1",
        "project": "p",
        "kind": "fact",
        "text": "text",
        "evidence": ["e"],
        "origin": "user",
    }
    record = PROCESS.as_record()
    assert Process(**record) == PROCESS  # type: ignore[arg-type]
    record["pid"] = 0
    assert PROCESS.pid == 7


ERRORS = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.HoldfastError)]


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_without_words_says_its_docstring_in_one_line(error: type[errors.HoldfastError]) -> None:
    assert str(error()) == " ".join(str(error.__doc__).split()) != ""
    assert str(error("in other words")) == "in other words"


def test_every_error_has_its_own_code_and_status_and_none_is_success() -> None:
    assert len({error.code for error in ERRORS}) == len({error.exit_status for error in ERRORS}) == len(ERRORS)
    assert all(0 < error.exit_status < 126 for error in ERRORS)
    drawn = str(errors.__doc__)
    assert [error.__name__ for error in ERRORS if error.__name__ not in drawn] == []
