"""The words of a checkpoint: what the form says, what the options say, and what is asked instead of guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture.ids import LETTERS, new_id
from holdfast.errors import UsageError
from holdfast.tasks import checkpoint_words
from holdfast.tasks.checkpoint_words import Words, entry_id, ident, read, route, same, settled, with_text
from holdfast.tasks.record import DECISION, DISCOVERY, NEXT, PROGRESS, SECTIONS

ID = "01KP0XJR0000032EPCDYV5GN03"
SHORT = ID[-6:]
FORMS = {
    PROGRESS: (
        *(
            "COMPLETED: orders/batch_1/ (files 001-047)",
            "DONE",
            "DONE: unit 7",
            "IN_PROGRESS: files 092-???",
            "TODO fix",
        ),
        *("IN PROGRESS — batch 3", "IN-PROGRESS: x", "PENDING: orders/batch_4/", "SKIPPED unit 9", "FAILED: unit 3"),
        *("- COMPLETED: unit 1", "**COMPLETED**: unit 1", "[DONE] unit 1", "  COMPLETED  unit 2 ", "COMPLETED, unit 3"),
    ),
    DECISION: (
        *(
            "DO NOT modify config/auth.yaml — used by 3 services",
            "DON'T retry",
            "DON\u2019T retry",
            "NEVER deploy on Fridays",
        ),
        *(
            "ALWAYS squash",
            "MUST stay under 10 MB",
            "MUST NOT grow",
            "Decision: keep it",
            "DECISION: keep it",
            "Decided: no",
        ),
        *("Decided to drop the column", "Use bcrypt because it is there", "Keep the id, since others read it"),
        *("Prefer httpx over requests because it is async", "Avoid threads (because of SQLite)", f"SUPERSEDES {ID} x"),
        *(
            f"SUPERSEDES ^{SHORT} — DO NOT wait",
            "Decision: use COMPLETED as a state",
            "* NEVER wait",
        ),
    ),
    DISCOVERY: (
        *("Discovery: the field is unused", "DISCOVERY: x", "Discovered that it is slow", "Found out that it is slow"),
        *("Pattern: all failed orders have a null", "Learned: the mock lies", "Discovered: it is slow"),
    ),
    NEXT: (
        *("Next: unit 8", "NEXT: unit 8", "Next step: run it", "Next session: run it", "Next Session Start: batch 3"),
        "On next session start: begin with orders/batch_3/ file 095. Apply decisions above before touching any config.",
    ),
}
NO_FORM = (
    *(
        "completed the migration",
        "do not know why it fails",
        "use of the cache fails because of TTL",
        "done",
        "next: x",
    ),
    *(
        "Use of the cache fails because of TTL",
        "Use cases differ because of tenants",
        "Keep in mind it fails because of X",
    ),
    *(
        "Keep failing because the disk is full",
        "Use optimistic locking for order updates",
        "Use because",
        "Use it because",
    ),
    *(
        "COMPLETEDNESS is low",
        "DONE_MARK is missing",
        "TODO-list is long",
        "NEVERMIND",
        "MUST_HAVE is set",
        "Next we go on",
    ),
    *(
        "The next step: run it",
        "Nothing is DONE yet",
        "never deploy",
        "Always squash",
        "Completed: unit 1",
        "",
        "  ",
        ":",
        "-",
    ),
    *("Useful because it is short here", "Because it fails, use another", "FAILED/SKIPPED differ", "Patterns: many"),
)
TWO_FORMS = (
    *("Next: COMPLETED: unit 1", "COMPLETED: Next: unit 2", "PENDING: DO NOT start before Monday", "Decision: TODO: x"),
    *("Discovery: NEVER call flush twice", f"SUPERSEDES {ID} COMPLETED: unit 1", f"SUPERSEDES {ID}: Next: unit 2"),
)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in FORMS.items() for text in texts])
def test_a_form_that_can_mean_one_section_only_names_it(kind: str, text: str) -> None:
    assert route(text) == kind


@pytest.mark.parametrize("text", NO_FORM)
def test_a_text_without_a_form_names_no_section(text: str) -> None:
    assert route(text) == ""


@pytest.mark.parametrize("text", TWO_FORMS)
def test_a_text_with_two_forms_names_no_section(text: str) -> None:
    assert route(text) == ""


PAGE = {  # the lines of a page as an agent writes one by hand, without their dash and date
    DECISION: (
        "DO NOT modify config/auth.yaml — used by 3 services (auth, payments, admin); changing here breaks them all",
        "Use optimistic locking for order updates; confirmed with existing lock pattern in orders.py:241",
    ),
    PROGRESS: (
        "COMPLETED: orders/batch_1/ (files 001-047)",
        "COMPLETED: orders/batch_2/ (files 048-091)",
        "IN_PROGRESS: orders/batch_3/ (files 092-??? — stopped at 094)",
        "PENDING: orders/batch_4/, batch_5/",
    ),
    DISCOVERY: (
        "Order schema has undocumented `legacy_id` field used only by `reports/quarterly.py` — do not remove",
        "`orders/batch_2/order_073.json` is malformed (truncated at line 14) — log as error, don't process",
        "Pattern: all failed orders have `payment_status: null` before `order_status: failed` — not after",
        "all failed orders have `payment_status: null` before `order_status: failed` — not after",
    ),
    NEXT: (
        "On next session start: begin with orders/batch_3/ file 095. Apply decisions above before touching any config.",
        "begin with orders/batch_3/ file 095. Apply decisions above before touching any config.",
        "Begin with orders/batch_3/ file 095.",
    ),
}
STATEMENTS_OF_SOMETHING_ELSE = (
    *(
        "`orders/batch_3/` is done",
        "orders/batch_3/ is next",
        "`a.py` has to be split",
        "`x` must be set",
        "it is slow",
    ),
    *("the schema has a field", "we have `a.py`", "`a/b.py` has failed", "orders/a.json is not to be touched"),
    *("https://example.com is down", "Use tabs for indentation", "begin the work", "Beginning with unit 3 it fails"),
)
STAMP = "2026-04-22T07:12Z"


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in PAGE.items() for text in texts])
@pytest.mark.parametrize("before", ["", "- ", f"- {STAMP} — ", f"{STAMP} — ", f"{STAMP}: ", "- 2026-04-22 - ", "* "])
def test_a_line_of_a_page_goes_to_its_section_with_and_without_dash_and_date(kind: str, text: str, before: str) -> None:
    said = read([before + text])
    assert said.kind == kind
    assert said.text.startswith(text), "the words begin as they would without"
    assert ("2026-04-22" in said.text) == ("2026" in before), "and the date is kept"


@pytest.mark.parametrize("text", STATEMENTS_OF_SOMETHING_ELSE)
def test_a_sentence_that_is_no_plain_fact_about_a_named_thing_is_asked_about(text: str) -> None:
    assert route(text) == ""


@pytest.mark.parametrize(
    ("typed", "date"),
    [
        ("SUPERSEDES 2026-04-22T07:12Z — wait", STAMP),
        ("SUPERSEDES [2026-04-22T07:12Z] wait", STAMP),
        ("SUPERSEDES [2026-04-22 07:12]: wait", STAMP),
        ("- SUPERSEDES [2026-04-22] — wait", "2026-04-22"),
    ],
)
def test_what_is_superseded_may_be_named_by_its_date(typed: str, date: str) -> None:
    assert read([typed]) == Words("wait", DECISION, (date,))
    assert read(["--supersedes", date, "wait"]) == Words("wait", DECISION, (date,))


def test_an_unquoted_sentence_is_one_entry_on_one_line() -> None:
    assert read(["COMPLETED:", "unit", "7\n of  9"]) == Words("COMPLETED: unit 7 of 9", PROGRESS)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_named_section_wins_over_the_form(section: str) -> None:
    assert read([f"--{section}", "COMPLETED: unit 7"]).kind == section
    assert read(["the text first", f"--{section}"]) == Words("the text first", section)


@pytest.mark.parametrize("argv", [["-t", "audit"], ["--task", "audit"], ["--task=audit"], ["-t=audit"]], ids=" ".join)
def test_a_task_may_be_named_anywhere(argv: list[str]) -> None:
    assert read([*argv, "DONE: x"]) == read(["DONE: x", *argv]) == Words("DONE: x", PROGRESS, task="audit")


def test_behind_two_dashes_everything_is_text() -> None:
    assert read(["--progress", "--", "--json", "-h", "--", "x"]) == Words("--json -h -- x", PROGRESS)


def test_a_text_that_begins_with_a_dash_is_a_text_if_no_option_could_look_so() -> None:
    assert read(["--discovery", "-5 % since Monday"]).text == "-5 % since Monday"
    assert read(["--discovery", "-5", "%"]).text == "-5 %"
    assert read(["- COMPLETED: unit 1"]).kind == PROGRESS


def test_superseding_means_a_decision_unless_another_section_is_named() -> None:
    assert read(["--supersedes", f"^{SHORT.lower()}", "wait"]) == Words("wait", DECISION, (SHORT,))
    assert read([f"--supersedes={ID}", "--next", "wait"]) == Words("wait", NEXT, (ID,))
    assert read(["--supersedes", ID, "COMPLETED: unit 7"]).kind == ""


def test_several_may_be_superseded_and_each_once() -> None:
    other = new_id(1_776_000_001.0)
    argv = ["--supersedes", ID, "--supersedes", other, "--supersedes", ID, "wait"]
    assert read(argv).supersedes == (ID, other)
    assert read([f"SUPERSEDES ^{ID}, ^{other}: wait"]) == Words("wait", DECISION, (ID, other))


@pytest.mark.parametrize("between", [" ", ": ", " — ", " \u2013 ", " - ", "] ", "; "])
def test_a_text_that_says_supersedes_does_so(between: str) -> None:
    lead = "[" if between == "] " else ""
    for text in (f"SUPERSEDES {lead}^{ID.lower()}{between}DO NOT wait", f"SUPERSEDES: {lead}{ID}{between}DO NOT wait"):
        assert read([text]) == read(text.split()) == Words("DO NOT wait", DECISION, (ID,))


def test_a_section_that_is_named_is_superseded_in_by_the_text_too() -> None:
    assert read(["--progress", f"SUPERSEDES {ID} COMPLETED: unit 1"]) == Words("COMPLETED: unit 1", PROGRESS, (ID,))


def test_both_hold_is_said_of_decisions() -> None:
    assert read(["--and", "wait"]) == read(["--and", "--decision", "wait"]) == Words("wait", DECISION, both_hold=True)


def test_a_single_dash_means_that_the_text_is_still_to_be_read() -> None:
    waiting = read(["-", "--json", "--supersedes", ID])
    assert waiting == Words("", "", (ID,), as_json=True, from_stdin=True)
    assert with_text(waiting, "NEVER wait\n") == Words("NEVER wait", DECISION, (ID,), as_json=True)
    assert with_text(read(["-"]), "COMPLETED: unit 7\n") == Words("COMPLETED: unit 7", PROGRESS)
    assert with_text(read(["--next", "-"]), f"SUPERSEDES {SHORT} wait") == Words("wait", NEXT, (SHORT,))


def test_words_that_say_where_they_belong_are_settled() -> None:
    assert settled(read(["DONE: x"])) == read(["DONE: x"])


def test_a_form_that_does_not_say_is_asked_about_with_the_four_options() -> None:
    with pytest.raises(UsageError) as refused:
        settled(read(["use of the cache fails", "because of TTL " * 9]))
    said = str(refused.value)
    assert said.startswith('"use of the cache fails because of TTL')
    assert "…" in said
    assert "nothing was written" in said
    assert all(f"--{section}" in said for section in SECTIONS)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "There is no text"),
        (["--json", "--next", "  "], "There is no text"),
        ([f"SUPERSEDES {ID}"], "There is no text"),
        ([f"SUPERSEDES {ID}: "], "There is no text"),
        (["SUPERSEDES"], '"" is no id of an entry'),
        (["SUPERSEDES the old plan"], '"the" is no id of an entry'),
        (["SUPERSEDES 2026-04-22T7h — wait"], "is no id of an entry"),
        (["--supersedes", "ABC", "x"], '"ABC" is no id of an entry'),
        (["--supersedes", "A" * 27, "x"], "is no id of an entry"),
        (["--supersedes", "HELLO", "x"], '"HELLO" is no id of an entry'),
        (["--supersedes", "^^ABCD", "x"], '"^^ABCD" is no id of an entry'),
        (["x", "--supersedes"], "--supersedes needs a value"),
        (["x", "-t"], "--task needs a value"),
        (["--next", "--progress", "x"], "--progress and --next name more"),
        (["--and", "--next", "x"], "--and is for decisions"),
        (["--and", "COMPLETED: unit 7"], "--and is for decisions"),
        (["--and", "--progress", "-"], "--and is for decisions"),
        (["-t", "a", "--task", "b", "x"], "two are named"),
        (["--task", "../x", "x"], '"../x" is no id of a task'),
        (["--task=", "x"], '"" is no id of a task'),
        (["--kind", "rule", "x"], '"--kind" is no option of task checkpoint'),
        (["--decision=yes", "x"], '"--decision=yes" is no option'),
        (["-x", "y"], '"-x" is no option'),
        (["--help"], "asks for help"),
        (["x", "-h"], "asks for help"),
    ],
)
def test_what_cannot_be_accepted_is_refused_in_a_sentence(argv: list[str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(argv)
    assert said in str(refused.value)
    assert "nothing was written" in str(refused.value)


@pytest.mark.parametrize("name", ["a", "7", "orders-audit_2", "_x", "Task_orders_audit_20260422", "a" * 64, "a-"])
def test_an_id_of_a_task_is_kept_as_it_is_typed(name: str) -> None:
    assert ident(name) == name


@pytest.mark.parametrize(
    "name", ["", "-a", "a.b", ".", "..", "a/b", "a\\b", "a b", "ä", "a\n", "a" * 65, "a\0", "\u0661", "a:b", "~"]
)
def test_an_id_that_would_not_do_as_a_folder_is_refused_with_what_is_allowed(name: str) -> None:
    with pytest.raises(UsageError, match=r"1 to 64 letters of A-Z, digits, - and _"):
        ident(name)


def test_ids_that_differ_in_case_only_are_the_same() -> None:
    assert same("Audit", "aUDIT")
    assert not same("audit", "audit2")
    assert read(["-t", "Audit", "--task", "audit", "DONE"]).task == "Audit"


@given(st.text(alphabet=LETTERS, min_size=4, max_size=26))
def test_an_id_of_an_entry_may_be_typed_small_and_with_its_mark(found: str) -> None:
    assert entry_id(f"^{found.lower()}") == entry_id(found) == found


def test_letters_that_only_become_ours_as_capitals_are_not_taken() -> None:
    with pytest.raises(UsageError):
        entry_id("abc\u017f")


WORD = st.sampled_from(
    [
        *("--decision", "--progress", "--discovery", "--next", "--and", "--json", "--supersedes", "--task", "-t", "--"),
        *(ID, f"^{SHORT}", f"SUPERSEDES {ID}", "SUPERSEDES", "-", "-h", "-x", "--task=a", "a.b", "DONE:", "NEVER", ""),
        *("text", "Next:", "Use", "because", "two words", "\n", "--supersedes=ABCD", "DO NOT"),
    ]
)


@given(argv=st.lists(WORD | st.text(max_size=8), max_size=7))
@settings(deadline=None, max_examples=300)
def test_whatever_is_typed_is_words_or_a_sentence_that_says_that_nothing_was_written(argv: list[str]) -> None:
    refused = ""
    found = Words("")
    try:
        found = read(argv)
    except UsageError as error:
        refused = str(error)
    assert not refused or "nothing was written" in refused
    assert refused or bool(found.text) != found.from_stdin
    assert found.kind in ("", *SECTIONS)
    assert found.text == " ".join(found.text.split())
    assert not found.both_hold or found.kind == DECISION or found.from_stdin
    assert all(set(one) <= set(LETTERS) or checkpoint_words.date_of(one) for one in found.supersedes)


@pytest.mark.slow
@given(text=st.text(max_size=40) | st.lists(WORD, max_size=5).map(" ".join))
@settings(deadline=None, max_examples=300)
def test_every_text_has_one_section_or_none(text: str) -> None:
    assert route(text) in ("", *SECTIONS)
    assert route(f"  {text}\n") == route(text)


def test_the_states_of_progress_are_written_in_capitals() -> None:
    for state in checkpoint_words.STATES:
        assert (route(f"{state}: unit 7"), route(f"{state.lower()}: unit 7"), route(f"{state}X: 7")) == (
            PROGRESS,
            "",
            "",
        )
