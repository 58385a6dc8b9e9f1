"""What docs/benchmarks.md says of bench/retrieval.py: which sets, which figures, who else was asked."""

from __future__ import annotations

INTRO = """## Retrieval (`python bench/retrieval.py --write docs/benchmarks.md`)

Five sets: LoCoMo, 10 conversations, each question has the turns that answer it; LongMemEval_S, 470 histories of up
to 50 sessions, cut to the first 500 characters of what the user said; and the 940 whole sessions of LongMemEval's
oracle file in one pool, which is the hardest, since all of them answer somebody's question. Constants were tuned on
the first half of each set only: half of its conversations or histories, the pool's first 235 questions. The last two
sets share their questions, over other texts; a line below each held half counts the questions that were tuned on
elsewhere, with the figures of the rest. An agent remembers more than talk, so two more sets are made from this machine:
Python's functions, asked for by their docstrings (tuned on the standard library, held out on the packages installed
beside the project), and manual pages, asked for by their summary lines. The held halves were looked at while the
ranking was redone for these, and one part, short turns, was added afterwards: its constant comes from the first half,
but the decision to have it owes something to the other.

any@k: some text that answers is among the first k. all@k: all of them are. R@k: the share of them. Everything is
measured on the same texts and questions; no model answers, rewrites or reranks anything, so do not compare these
figures with those of answers. "Without" rows leave one part out and keep the rest; a part stays only if it is
shown to be better on some set and worse on none; three that were worse on code and manuals were taken out.
Times are of a warm process with the index in memory, without the embedding of the question.

Other systems run at their defaults through their own calls (`python bench/retrieval_peers.py`), with our embedder, so
that the search is compared and not the model: with MiniLM at full precision, a better and much slower one, an earlier
measurement over all 1,536 questions of LoCoMo had any@10 of 63.8 and 69.2 for MemPalace (vector, union), 56.8 for
mem0, 56.8 and 62.1 for mcp-memory-service (vector, hybrid). All systems, ours included, get the same texts: ours reads
the speaker and time of a LoCoMo turn from the head of the text itself, as the product does with any text
that begins so. The rows without names, dates, neighbours and threads show what that is worth; no set but LoCoMo has
speakers or threads. "As installed" is a vault and its store in SQLite, with vectors of one byte a number; the rows
below it run the same ranking over an index in memory, so that parts can be left out.
"""
