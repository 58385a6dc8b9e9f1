"""What around us changes what is captured: pauses, variables, other memory tools, a host's own memory."""

from __future__ import annotations

import glob
import tomllib
from typing import TYPE_CHECKING

from holdfast.capture import background, config, home, platform, projects
from holdfast.capture.redaction import redact
from holdfast.doctor import probe, settings
from holdfast.doctor.checks import bad, good, note, reason
from holdfast.install.hosts import claude_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

OTHERS = ("claude-mem", "mempalace", "agentmemory", "memsearch", "basic-memory", "hindsight", "claude-remember")
PLACES = ("hooks", "enabledPlugins", "plugins", "mcpServers", "mcp_servers", "notify")
OWN = {
    "HOLDFAST": "switches capture on and off",
    "HOLDFAST_HOME": "names the vault, for agents too only where they have it",
    background.SWITCH: "off: no close runs by itself; wait: an end waits for it",
    home.CHILD: "hooks of whatever is started here return at once",
}


def check_off(place: Place) -> Iterator[Check]:
    """Whether capture is switched off, here or everywhere."""
    off = home.why_off(place.env, place.vault)
    with probe.scratch() as folder:
        # To ask which project a folder is writes it down; in a vault of its own that changes nothing.
        project = projects.find(place.cwd, folder)
    if off:
        yield note("capture", f"{off}: nothing is captured", "`holdfast resume` ends a pause")
    elif project.off:
        yield note("capture", f"{home.PROJECT_OFF}: nothing is captured here")
    else:
        yield good("capture", "on")


def check_environment(place: Place) -> Iterator[Check]:
    found = [f"{name}={redact(text)[0]} ({OWN[name]})" for name, text in place.env.items() if text and name in OWN]
    if found:
        yield note("environment", "; ".join(sorted(found)))
    else:
        yield good("environment", "no variable changes what holdfast does")
    trusted = home.trusted_vault(home.own_vault(place.env), place.cwd)
    if trusted and trusted == place.vault:
        yield note("environment", f"this repository's own vault is used, because you trusted it: {trusted}")


def check_config(place: Place) -> Iterator[Check]:
    """The machine's own settings. The hook passes over what it cannot parse, so somebody has to say so."""
    path = config.path_of(place.state)
    try:
        found = tomllib.loads(platform.read_regular(path, config.LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError) as error:
        yield bad("config", f"{path} cannot be read ({reason(error)}); the defaults hold", "mend it in an editor")
        return
    yield good("config", f"{path} sets {', '.join(found) or 'nothing'}")


def check_other_memory(place: Place) -> Iterator[Check]:
    """Two tools that hook the same events both spend the context, and each may store what the other injected."""
    found: dict[str, str] = {}
    known = [*settings.of_claude(place.env, place.cwd), *settings.claude_state(place.env)]
    for one in (*known, *settings.of_codex(place.env, place.cwd)):
        for text in (text.lower() for key in PLACES for text in settings.texts(one.part(key))):
            for name in OTHERS:
                if name in text:
                    found.setdefault(name, one.path)
    if found:
        said = ", ".join(f"{name} ({path})" for name, path in sorted(found.items()))
        fix = "both work; each costs context at every start, and one may store what the other injected"
        yield note("other-memory", f"another memory tool is hooked too: {said}", fix)
    else:
        yield good("other-memory", "no other memory tool is hooked")


def check_auto_memory(place: Place) -> Iterator[Check]:
    """Claude Code's own notes to itself live beside ours; they are never switched off for you."""
    folder = claude_code.folder(place.env)
    off = any(one.part("autoMemoryEnabled") is False for one in settings.of_claude(place.env, place.cwd))
    if off or not glob.glob(f"{glob.escape(folder)}/projects/*/memory/MEMORY.md"):
        return
    yield note("auto-memory", f"Claude Code also keeps its own memory in {folder}/projects; both live side by side")
