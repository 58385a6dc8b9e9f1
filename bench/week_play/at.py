"""Run one of our scripts at another time: `python at.py SCRIPT …` with WEEK_NOW (seconds since 1970) set.

Only the clock of this process is moved; the product has no switch for it. `-m holdfast …` runs the whole command line.
"""

import os
import runpy
import sys
import time

real, then = time.time, float(os.environ["WEEK_NOW"])
began = real()
time.time = lambda: then + real() - began
sys.argv = sys.argv[1:]
if sys.argv[0] == "-m":
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
