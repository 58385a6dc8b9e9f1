"""The demonstration, `holdfast demo`: a whole life of a memory, played with nothing but the real parts.

`story` is what happens and what must be seen of it; `host` is the agent's program, a process that can be killed;
`stage` is the temporary folder that all of it lies in; `telling` is how it is printed.
"""
