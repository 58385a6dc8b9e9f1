"""The file that the launcher executes: `python -I -S start.py HOST`, or `start.py --COMMAND …` for the fast commands.

It is compiled anew at every call, so it only finds the package and hands over. Whatever goes wrong in a hook, even a
package that no longer imports, ends in status 0.
"""

import gc
import posix
import sys
import time

BEGAN = time.perf_counter_ns()
gc.disable()  # in ten milliseconds nothing is worth collecting, and looking for it costs one of them
ARGUMENTS = sys.argv[1:]
IS_COMMAND = ARGUMENTS[:1] == ["--command"]
try:
    sys.path.append(__file__.rsplit("/", 3)[0])
    from holdfast.module_loader import install

    install()
    if IS_COMMAND:
        from holdfast.cli.fast import start
    else:
        from holdfast.hook.main import start
except BaseException as error:
    posix.write(2, f"holdfast cannot start: {error!r}\n".encode("utf-8", "replace"))
    posix._exit(1 if IS_COMMAND else 0)
start(ARGUMENTS[1:] if IS_COMMAND else ARGUMENTS, BEGAN)
