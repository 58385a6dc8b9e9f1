"""A pause: nothing is captured on this machine until it ends, and what is in the queue stays there.

A pause is the user's to begin, since whatever an agent does in it is remembered by nobody; anyone may end one. It
stands in the user's own vault and counts in every vault of the machine, also while their own is gone.
"""

from __future__ import annotations

import posix

from holdfast.capture import gate, home, platform, vault_id
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def begin(env: Mapping[str, str], now: float, *, by: gate.Asker) -> None:
    """Raises Refused for an agent, HoldfastError where the vault takes nothing."""
    vault = home.capture_vault(env)
    gate.require(by, gate.Change(gate.CAPTURE, gate.LIFTED), "Pausing capture")
    try:
        home.make_vault(vault)
        platform.write_atomic(home.paused_path(vault), b"%d\n" % now, durable=True)
        _outlive(home.vault(env), env, paused=True)
    except OSError as error:
        raise _unchanged(vault, error) from error


def end(env: Mapping[str, str]) -> bool:
    """False where nothing was paused. Raises HoldfastError."""
    vault = home.capture_vault(env)
    try:
        _outlive(home.vault(env), env, paused=False)
        posix.unlink(home.paused_path(vault))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unchanged(vault, error) from error
    return True


def _unchanged(vault: str, error: OSError) -> HoldfastError:
    return HoldfastError(f"{vault} cannot be changed ({error.strerror}); everything is as it was.")


def _outlive(vault: str, env: Mapping[str, str], *, paused: bool) -> None:
    """A pause holds also while the vault is gone."""
    path = vault_id.paused_path(vault, env)
    if path and paused:
        platform.write_atomic(path, b"", durable=True)
    elif path:
        platform.remove(path)
