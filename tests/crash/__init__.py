"""The crash suite: it kills, truncates, flips, fails and cuts the power, and counts what was acknowledged and lost.

    HOLDFAST_CRASH=short   the default, under 90 seconds: a truncation at every byte of 3 KB, 300 flips, 60 kills, a
                           sample of the failing calls, 200 power losses, 100 runs of the machine, 16 x 100 flags
    HOLDFAST_CRASH=full    under 10 minutes: a truncation at every byte of 20 KB, 3,000 flips, 1,000 kills, every
                           failing call, 2,000 power losses, 2,000 runs of 50 steps of the machine, 16 x 1,000 flags
    HOLDFAST_SEED=NUMBER   repeat a run; the seed of each run is printed with its counts

What each module is about, and what it cannot show, stands in its docstring. kill -9 is not power loss: the page cache
outlives the process. Only test_power_loss is about the power.
"""
