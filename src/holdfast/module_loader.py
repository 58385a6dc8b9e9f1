"""Our own modules, read from their compiled files without Python's general search, for the hook and the fast commands.

A hook imports forty small modules, and looking each of them up costs three times what running it does. Promise: never
another result than Python's own import: a compiled file counts only where it was made by this interpreter from the
source as it is now, by the same time and size that Python compares. Anything else is left to Python's import, which
compiles it anew.
"""

import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

MAGIC: bytes = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER
SPEC: "type[ModuleSpec]" = type(sys.__spec__)
TAG = sys.implementation.cache_tag
NAME = __name__.rpartition(".")[0]
HERE = __file__.rpartition("/")[0]
FIRST = 1 << 16


class Loader:
    """Finds and runs modules below our own package, and no others."""

    def __init__(self) -> None:
        self.codes: dict[str, CodeType] = {}

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        if not name.startswith(f"{NAME}."):
            return None
        base = HERE + name[len(NAME) :].replace(".", "/")
        folder, _, last = base.rpartition("/")
        path, is_package = f"{base}.py", False
        code = _code(path, f"{folder}/__pycache__/{last}.{TAG}.pyc")
        if code is None:
            path, is_package = f"{base}/__init__.py", True
            code = _code(path, f"{base}/__pycache__/__init__.{TAG}.pyc")
        if code is None:
            return None
        self.codes[name] = code
        found = SPEC(name, self, origin=path, is_package=is_package)  # type: ignore[arg-type]
        found.has_location = True
        if is_package:
            found.submodule_search_locations = [base]
        return found

    def create_module(self, _spec: "ModuleSpec") -> None:
        return None  # a plain one

    def exec_module(self, module: "ModuleType") -> None:
        exec(self.codes.pop(module.__name__), module.__dict__)


def install() -> None:
    if TAG and not sys.flags.optimize and not sys.pycache_prefix:
        sys.meta_path.insert(0, Loader())


def _code(source: str, compiled: str) -> "CodeType | None":
    """None where there is no such module, or it has to be compiled first."""
    try:
        seen = posix.stat(source)
        fd = posix.open(compiled, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return None
    try:
        data = posix.read(fd, FIRST)
        while more := (posix.read(fd, FIRST) if len(data) % FIRST == 0 else b""):
            data += more
    finally:
        posix.close(fd)
    stamp = (int(seen.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (seen.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    if data[:16] != MAGIC + bytes(4) + stamp:
        return None
    try:
        code: CodeType = marshal.loads(memoryview(data)[16:])
    except (EOFError, ValueError, TypeError):  # cut short by a power loss: Python's own import would fail for good
        with open(source, "rb") as text:
            code = compile(text.read(), source, "exec", dont_inherit=True)
    return code
