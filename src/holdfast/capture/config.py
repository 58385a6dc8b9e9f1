"""This machine's own settings: .state/config.toml, all of it optional, read by the hook at every moment.

`tomllib` costs a hook more than all else it does, so what the file says is kept beside it as JSON, with the file's
size and time; only a changed file is parsed. One that cannot be parsed changes nothing and is named by `doctor`. A
repository has no say here: its .holdfast.toml may only name chapter tools, and switch capture off.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

STRICT = "strict"
LARGEST = 1 << 18


def path_of(state: str) -> str:
    return f"{state}/config.toml"


def load(state: str) -> Mapping[str, Any]:
    """The user's settings; {} where there are none. Never fails: `problem` says what could not be read."""
    try:
        seen = posix.stat(path_of(state))
    except (OSError, ValueError):
        return {}
    stamp = f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}"
    kept = f"{state}/config.json"
    record = codec.read(kept, LARGEST)
    if record.get("stamp") == stamp and isinstance(record.get("config"), dict):
        return dict(record["config"])
    found = _parse(path_of(state))
    try:
        codec.write(kept, {"v": 1, "stamp": stamp, "config": found}, durable=False)
    except (OSError, TypeError, ValueError):
        pass  # a disk that takes nothing, or a date in it: parsed again the next time
    return found


def _parse(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(platform.read_regular(path, LARGEST).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return {"problem": f"{path} cannot be read ({error}); the defaults hold"}


def section(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = config.get(name)
    return found if isinstance(found, dict) else {}


def texts(config: Mapping[str, Any], name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """A list of texts; the default where there is none, or something else."""
    found = config.get(name)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else default


def number(config: Mapping[str, Any], name: str, default: float) -> float:
    """A number; the default where there is none, or one that no float can hold."""
    found = config.get(name)
    try:
        return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else default
    except OverflowError:
        return default
