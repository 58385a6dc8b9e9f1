"""What stands beside the routes, behind the same door: the Model Context Protocol at /mcp, where its SDK is installed.

Its tools work in a folder, and the server knows one: its own. So a token that is for another project is refused there.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.serve import problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.serve.mcp.peer import Peer
    from holdfast.serve.serving import Serving

PATH = "/mcp"
NEEDED = ("mcp", "mcp_types")


def mounts(serving: Serving) -> tuple[dict[str, Any], Any]:
    """The applications by path, and what has to be entered while the server runs; nothing where there is no SDK."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        return {}, None
    from holdfast.serve.mcp import over_http, peer

    def calling(scope: Mapping[str, Any] | None) -> Peer:
        caller = (scope or {})["state"]["caller"]
        if caller.project not in ("", serving.here().id):
            raise problems.Denied("This token is for another project than this server's folder; nothing was done.")
        return peer.of_agent(caller.name, serving.cwd, serving.env, serving.clock, serving.warm)

    app = over_http.McpApp(calling, partial(problems.without, serving.vault))
    return {PATH: app}, app.running
