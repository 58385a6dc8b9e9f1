"""Our own modules are read without Python's general search, and are always the ones that it would have found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import holdfast

HOW = """
import sys
sys.path.append({top!r})
from holdfast.module_loader import install
install()
from holdfast.capture import ids
import holdfast.hosts
print(type(ids.__spec__.loader).__name__, ids.MARK, ids.__file__, holdfast.hosts.__path__)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package of the same name and shape, whose sources may be changed."""
    top = tmp_path / "top"
    for folder in ("", "capture", "hook", "hosts"):
        (top / "holdfast" / folder).mkdir(parents=True, exist_ok=True)
        (top / "holdfast" / folder / "__init__.py").write_text("")
    source = Path(holdfast.__file__).parent / "module_loader.py"
    (top / "holdfast" / "module_loader.py").write_bytes(source.read_bytes())
    (top / "holdfast" / "capture" / "ids.py").write_text("MARK = 'one'\n")
    return top


def run(package: Path, *options: str) -> list[str]:
    code = HOW.format(top=str(package))
    done = subprocess.run(
        [sys.executable, "-I", "-S", *options, "-c", code], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout.split(" ", 3)


def compiled(package: Path) -> Path:
    return next((package / "holdfast" / "capture" / "__pycache__").glob("ids.*.pyc"))


def test_python_compiles_a_module_once_and_then_it_is_read_as_it_is(package: Path) -> None:
    assert run(package)[:2] == ["SourceFileLoader", "one"]
    again = run(package)
    assert again[:2] == ["Loader", "one"]
    assert again[2] == str(package / "holdfast" / "capture" / "ids.py")
    assert again[3].strip() == str([str(package / "holdfast" / "hosts")])


def test_a_source_that_changed_since_is_compiled_anew(package: Path) -> None:
    run(package)
    (package / "holdfast" / "capture" / "ids.py").write_text("MARK = 'other'\n")
    assert run(package)[:2] == ["SourceFileLoader", "other"]


def test_a_source_of_the_same_size_and_another_time_is_compiled_anew(package: Path) -> None:
    run(package)
    source = package / "holdfast" / "capture" / "ids.py"
    source.write_text("MARK = 'two'\n")
    os.utime(source, (1_700_000_000, 1_700_000_000))
    assert run(package)[1] == "two"


@pytest.mark.parametrize("damage", [lambda _: b"", lambda data: bytes(len(data)), lambda data: b"xxxx" + data[4:]])
def test_a_compiled_file_that_is_none_is_passed_over(package: Path, damage: Callable[[bytes], bytes]) -> None:
    run(package)
    path = compiled(package)
    path.write_bytes(damage(path.read_bytes()))
    assert run(package)[1] == "one"


def test_a_compiled_file_that_a_power_loss_cut_short_is_made_from_its_source(package: Path) -> None:
    run(package)
    path = compiled(package)
    path.write_bytes(path.read_bytes()[:-10])
    assert run(package)[:2] == ["Loader", "one"]


def test_an_interpreter_that_optimises_is_left_to_python(package: Path) -> None:
    run(package)
    assert run(package, "-O")[0] == "SourceFileLoader"


def test_a_module_that_is_not_there_is_not_found(package: Path) -> None:
    (package / "holdfast" / "capture" / "ids.py").unlink()
    code = HOW.format(top=str(package))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert "cannot import name 'ids'" in done.stderr
