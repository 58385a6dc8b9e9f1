"""Which unit a file or a command means: sure where the name says so, a guess where it could be another, else none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.tasks.watch import Series, Unit, Watched, in_text, of_path, place_of
from holdfast.text import shell_programs

FILES = Watched("audit", (Series("file", 3, ((92, 500),)),), ("orders/batch_4/", "src/users.py", "parser", "docs/*.md"))
UNITS = Watched("five", (Series("unit", 0, ((1, 5),)),), ())
NAMES = Watched("names", (Series("order_{}.json", 3, ((1, 500),)),), ())
TWO = Watched("two", (Series("invoice", 3, ((1, 50),)), Series("order", 3, ((1, 50),))), ())
OPEN = Watched("open", (Series("step", 0, (), 3),), ())


@pytest.mark.parametrize(
    ("task", "path", "unit"),
    [
        (FILES, "src/users.py", Unit("src/users.py")),
        (FILES, "shop/src/users.py", Unit("src/users.py")),
        (FILES, "out/095.json", Unit("file 095")),
        (FILES, "orders/batch_3/095.json", Unit("file 095")),
        (FILES, "orders/batch_3/order_095.json", Unit("file 095")),
        (FILES, "out/file-95.txt", Unit("file 095")),
        (FILES, "out/095/report.txt", Unit("file 095")),
        (FILES, "orders/batch_4/a.json", Unit("orders/batch_4/a.json", "orders/batch_4/")),
        (FILES, "docs/intro.md", Unit("docs/intro.md", "docs/*.md")),
        (FILES, "out/091.json", None),
        (FILES, "notes-2026-04-22.md", None),
        (FILES, "logs/2026/app.txt", None),
        (FILES, "src/v2.py", None),
        (FILES, "README.md", None),
        (UNITS, "out/unit_3.txt", Unit("unit 3")),
        (UNITS, "units/unit-3/main.py", Unit("unit 3")),
        (UNITS, "out/3.txt", Unit("unit 3")),
        (UNITS, "out/unit_6.txt", None),
        (NAMES, "orders/order_003.json", Unit("order_003.json")),
        (NAMES, "out/order_003.csv", Unit("order_003.json")),
        (NAMES, "out/order_3.csv", None),
        (TWO, "out/order_007.json", Unit("order 007")),
        (TWO, "out/orders/007.json", Unit("order 007")),
        (TWO, "out/007.json", None),
        (OPEN, "steps/step4.md", Unit("step 4")),
        (OPEN, "steps/step2.md", None),
    ],
)
def test_a_file_means_the_unit_that_its_name_says(task: Watched, path: str, unit: Unit | None) -> None:
    assert of_path(task, path) == unit


@pytest.mark.parametrize(
    ("path", "label", "place"),
    [
        ("docs/users.md", "src/users.py", "docs/{}.md"),
        ("src/parser.py", "parser", "src/{}.py"),
        ("out/report_7.md", "unit 7", "out/report_{}.md"),
    ],
)
def test_another_place_is_a_guess_until_a_unit_went_there_before(path: str, label: str, place: str) -> None:
    task = Watched("guess", (Series("unit", 0, ((1, 9),)),), ("src/users.py", "parser"))
    assert of_path(task, path) == Unit(label, place=place)
    assert place_of(path, label) == place
    assert of_path(Watched("guess", task.series, task.names, places=(place,)), path) == Unit(label)


@pytest.mark.parametrize(
    ("task", "text", "labels"),
    [
        (FILES, "python convert.py 095", ["file 095"]),
        (FILES, "git commit -m 'Convert files 095-097'", ["files 095-097"]),
        (FILES, "git commit -m 'Convert file 95'", ["file 095"]),
        (FILES, "git add out/095.json && git commit -m x", ["file 095"]),
        (FILES, "pytest -q tests/test_095.py", ["file 095"]),
        (FILES, "Release 2.5.1 of 2026-04-22, port 8080", []),
        (FILES, "Write src/users.py", ["src/users.py"]),
        (UNITS, "make unit-3", ["unit 3"]),
        (UNITS, "run --unit 3", ["unit 3"]),
        (UNITS, "run --unit=3", ["unit 3"]),
        (UNITS, "Unit 3: done, 4 tests", ["unit 3"]),
        (UNITS, "retry 3 times", []),
        (UNITS, "units 1-5 planned", ["units 1-5"]),
        (NAMES, "jq . orders/order_003.json", ["order_003.json"]),
        (Watched("t", (), ("the users table",)), "Migrate the users table, at last", ["the users table"]),
    ],
)
def test_a_command_or_a_message_names_units(task: Watched, text: str, labels: list[str]) -> None:
    assert [unit.label for unit in in_text(task, text)] == labels


def test_a_unit_of_one_plain_word_is_only_a_guess_in_a_sentence() -> None:
    assert [(one.label, bool(one.place)) for one in in_text(FILES, "fix the parser")] == [("parser", True)]


@given(path=st.text(max_size=30) | st.from_regex(r"[a-z0-9_./-]{0,30}", fullmatch=True), text=st.text(max_size=60))
@settings(deadline=None, max_examples=300)
def test_whatever_a_file_or_a_text_is_called_there_is_an_answer(path: str, text: str) -> None:
    for task in (FILES, UNITS, NAMES, TWO, OPEN):
        found = of_path(task, path)
        assert found is None or found.label
        assert all(unit.label for unit in in_text(task, f"{text} {path}"))
    assert all(shell_programs.written(f"{text} {path}"))


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("cat > out/095.json <<'EOF'\na > b\nEOF", ["out/095.json"]),
        ("python x.py >out/1.txt 2>&1", ["out/1.txt"]),
        ("python x.py >> 'out/two words.txt'; echo done > /dev/null", ["out/two words.txt"]),
        ("echo x | tee out/a.txt out/b.txt", ["out/a.txt", "out/b.txt"]),
        ("cp -r a.txt b.txt", ["b.txt"]),
        ("sed -i s/a/b/ out/3.txt", ["out/3.txt"]),
        ("gcc -o bin/x x.c && cc --output=bin/y y.c", ["bin/x", "bin/y"]),
        ("for i in 1 2; do run > out/$i.txt; done", []),
        ("echo 'a > b' \"c > d\"", []),
        ("diff <(a) <(b)", []),
    ],
)
def test_the_files_that_a_command_writes_are_read_from_its_words(command: str, written: list[str]) -> None:
    assert shell_programs.written(command) == written
