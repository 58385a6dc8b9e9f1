"""The vault's place, its format, and whether capture is switched off.

The vault is $HOLDFAST_HOME, else one that a repository brings and the user trusted, else ~/.holdfast; it is made at the
first write, unless this machine has had one there that is gone (capture/vault_id). Its `format` file names the version
of the layout. Every record carries its own version too, so flags and failures may be appended to a vault of a newer
format, while anything that would have to understand the layout is left alone.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.errors import NewerFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
REMEMBERED = ("identity", "rules", "knowledge", "feedback", "projects", "lineage", "thoughts", "tasks")  # folders
PROJECT_OFF = "this project's .holdfast.toml says off = true"
OWN = "HOLDFAST_OWN"  # carried by a process that we start: the user's own vault, whichever it works on
CHILD = "HOLDFAST_CHILD"  # carried by every process that we start: its hooks return at once


def vault(env: Mapping[str, str], cwd: str = "") -> str:
    """The vault's folder, absolute. One that a repository brings counts only where the user trusted it, here."""
    own = own_vault(env)
    return own if env.get("HOLDFAST_HOME") or not cwd else trusted_vault(own, cwd) or own


def capture_vault(env: Mapping[str, str], cwd: str = "") -> str:
    """The vault for captures, or this machine's own folder while the vault is not where it should be."""
    found = vault(env, cwd)
    if format_of(found):
        return found
    from holdfast.capture import vault_id

    return vault_id.stand_in(found, env) or found


def own_vault(env: Mapping[str, str]) -> str:
    """The user's own."""
    path = env.get("HOLDFAST_HOME") or f"{user_home(env)}/.holdfast"
    path = path if path.startswith("/") else f"{posix.getcwd()}/{path}"
    return path.rstrip("/") or "/"


def machine_state(env: Mapping[str, str]) -> str:
    """The folder of this machine's own settings: judges, prices, caps and permissions. A vault that a repository brings
    has no say in them, also in a process that we started to work on it. In any other the variable counts for nothing:
    whoever could set it would choose who reads the user's memory."""
    own = env.get(OWN, "") if env.get(CHILD) else ""
    return state(own if own.startswith("/") else own_vault(env))


def trusted_vault(own: str, cwd: str) -> str:
    """The vault that the user trusted for a folder, from the list in their own vault; "" where there is none."""
    found = [line.split("\t") for line in platform.text(trusted_path(own), 1 << 16).splitlines()]
    fitting = [pair for pair in found if len(pair) == 2 and f"{cwd}/".startswith(f"{pair[0]}/")]
    root, trusted = max(fitting, key=lambda pair: len(pair[0])) if fitting else ("", "")
    # A link on the way by now means that it is not what the user saw.
    return "" if platform.is_behind_link(root, trusted.removeprefix(f"{root}/")) else trusted


def trusted_path(vault: str) -> str:
    return f"{state(vault)}/trusted"


def user_home(env: Mapping[str, str]) -> str:
    if env.get("HOME"):
        return env["HOME"].rstrip("/")
    import pwd

    return pwd.getpwuid(posix.getuid()).pw_dir


def data_folder(env: Mapping[str, str]) -> str:
    """The folder of the launcher and the command."""
    data = env.get("XDG_DATA_HOME", "")  # a relative one is to be ignored, says its specification
    return f"{data if data.startswith('/') else f'{user_home(env)}/.local/share'}/holdfast"


def state(vault: str) -> str:
    return f"{vault}/.state"


def tasks_path(state: str, project: str) -> str:
    """The file that tells starts of a project's open tasks (tasks/boot); there while there are any."""
    from holdfast.capture.ids import digest

    return f"{state}/tasks/boot/{digest(project, 24)}"


def has_tasks(state: str, *projects: str) -> bool:
    return any(platform.is_there(tasks_path(state, one)) for one in projects)


def has_field(state: str) -> bool:
    """True if there is an index to look anything up in; without one the hook imports nothing of the field."""
    return platform.is_there(f"{state}/field.db")


def is_bare(vault: str) -> bool:
    """True if a vault has nothing that a field could be made of, so that none need be made to say so."""
    return not any(platform.names(f"{vault}/{folder}") for folder in REMEMBERED)


def format_of(vault: str) -> int:
    """The version of the vault's layout; 0 where there is no vault yet, FORMAT where the file says nothing we know."""
    try:
        text = platform.read_file(f"{vault}/format", 64).decode("ascii", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError:
        return FORMAT
    return int(text) if text.isdecimal() else FORMAT


def refuse_newer(vault: str) -> None:
    """Raises NewerFormat where the layout may be one that we do not understand."""
    version = format_of(vault)
    if version > FORMAT:
        raise NewerFormat(
            f"{vault} has format {version}, this holdfast knows {FORMAT}; nothing was changed. "
            "Upgrade holdfast on this machine."
        )


def lay_out(vault: str) -> None:
    """Make the folders and the format file. Several processes may do it at once. The queue is there from the beginning:
    a sandbox can be told to let it be written only if it is."""
    platform.make_folders(f"{state(vault)}/queue")
    if not format_of(vault):
        platform.write_atomic(f"{vault}/format", b"%d\n" % FORMAT, durable=True)


def make_vault(vault: str, env: Mapping[str, str] | None = None) -> None:
    """Make the vault and register it. Raises VaultGone where an empty folder is in place of this machine's vault."""
    if format_of(vault):
        platform.make_folders(f"{state(vault)}/queue")
        return
    import time

    from holdfast.capture import vault_id

    env = platform.environ() if env is None else env
    vault_id.refuse(vault, env)
    lay_out(vault)
    vault_id.register(vault, env, time.time())


def why_off(env: Mapping[str, str], vault: str) -> str:
    """Why nothing is captured now, as a sentence; empty while capture is on."""
    if env.get("HOLDFAST", "").lower() in ("off", "0", "no", "false"):
        return "HOLDFAST=off is set"
    return "holdfast is paused (`holdfast resume` ends it)" if is_paused(env, vault) else ""


def is_paused(env: Mapping[str, str], vault: str) -> bool:
    """A pause is this machine's, also where a repository's vault is used."""
    return any(platform.is_there(paused_path(one)) for one in (vault, own_vault(env)))


def paused_path(vault: str) -> str:
    return f"{state(vault)}/paused"
