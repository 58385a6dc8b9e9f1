"""Init, uninstall, launchers and the demonstration. `refresh` renews the launcher after an upgrade."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def refresh(env: Mapping[str, str]) -> None:
    """Renew the launcher and the command after an upgrade. Nothing else is imported where there are none, or where both
    name this version and this installation. Raises OSError."""
    import os
    import sys

    import holdfast
    from holdfast.capture import home, platform

    folder = home.data_folder(env)
    try:
        hook = platform.read_file(f"{folder}/holdfast-hook").decode("utf-8", "replace")
    except FileNotFoundError:
        return  # nothing was installed, so nothing is to be kept up
    command = platform.read_file(f"{folder}/holdfast") if os.path.exists(f"{folder}/holdfast") else b""
    version = f"holdfast {holdfast.__version__};"
    script = f"{os.path.dirname(os.path.realpath(holdfast.__file__))}/hook/start.py"
    base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    if not all(one in hook for one in (version, script, sys.executable, base)) or version.encode() not in command:
        from holdfast.install import launcher

        launcher.refresh_launcher(env)
