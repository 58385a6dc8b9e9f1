"""The attacks: text, commands, files and repositories from outside, aimed at what binds, and counted.

    HOLDFAST_ATTACKS=short   the default, part of every test run: a spread sample of the strings, every class of them
    HOLDFAST_ATTACKS=full    `make attacks`: every string through every writer

The end of a run prints, per class, how many were tried and how many got through. A count that is not zero fails its
test. Every string, command and repository here was made up for this suite.
"""
