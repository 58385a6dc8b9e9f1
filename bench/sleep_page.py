"""What docs/benchmarks.md says of bench/sleep.py: the fields, what counts, and what is not measured."""

from __future__ import annotations

INTRO = """## Sleep (`python bench/sleep.py --write docs/benchmarks.md`)

Fields are asked their questions, slept over, and asked again: two conversations of LoCoMo, a project each; 40 histories
of LongMemEval_S, a project each; and a planted field in one project: real sentences of both sets as filler, facts
about made-up services that were said 1 to 31 times in three wordings with and without words that fill, and values that
were changed a day later. Nights follow each other as long as there is something to do, at most six; each takes the 60
heaviest clusters. None of the questions is ever logged, so the gate of sleep, which tries each change on logged
questions and on sources' own words, has seen none of them.

Three judges: none, where a summary quotes its sources' own lines; a scripted perfect one, which knows the fact that a
planted thought states (of other texts it repeats each), writes one cited sentence for each fact and names repetitions
and changed values; a scripted lazy one, which writes the first sentence and cites everything. Their answers go through
the product's own checks.

A result is evidence where it is the thought that a question wants, or one that sleep linked to it as a duplicate; of a
planted fact every saying is. The second row of each judge also counts a summary that carries it: by its own line, or,
in a judge's abstract, by a sentence that the checks accepted. Before sleep there is neither, so both rows have the same
"before". The interval is of the paired difference, by bootstrap.

The context is what one reads to hold all evidence: results from the first down, with summaries counted, until every
fact of the question is held; characters / 4. Where 50 results do not hold all of it, all 50 count.
"""
SHORT = """### What falls short

Letta's factor of five is not reached. Repetition goes to the end of an answer, so a question about one fact needs as
little context as before, and only some about several facts need less. On talk the context stays about as it was (2 %
more on LoCoMo): a summary is shown only where it is no longer than its sources in the answer; shown always, it made the
context a third longer. How short a real judge's summary is that the checks accept is not measured here.

A night's cost is within the aim by little when the field is ten times as large: what grows is nearly all in the trial,
which asks some two thousand questions within the project of the new thoughts, and that project holds ten times as many
too. More of them have a question's words and are ranked; that is FTS5's own work, and the largest part of the growth.
The other parts of a night follow the new thoughts, but for the index's own upkeep.

Changed values are settled pair by pair where the scripted judge knows them; how often a real judge names the right
pairs is not measured. Counted apart from this bench, with everything new in one night: 131 pairs of the 1,077 turns of
LoCoMo and 10 of the 1,906 sessions of LongMemEval_S would be asked about, eight in a question. The lazy judge says yes
to every pair: it names the control too, so nothing is superseded; without the control it had 263 thoughts of a planted
field of 1,500 superseded, 40 of them rightly. A judge that is wrong in a subtler way is held back by the trial alone.
A pair that shares less than half of the shorter sentence's carrying words is not asked about ("lives in Boston", "moved
to Chicago").

A summary is not searched: it stands in the place of the third of its sources, so that no other thought stands lower
than before. Searched like any thought, it pushed others out of the first ten, and the gate refused whole nights. The
sources that it stands for come after everything else, which is why the first row of a judge may be below the second.

Of the cosines from which on two thoughts are neighbours, 0.6 to 0.85 were tried on the planted field by structure
alone: 0.7 makes far fewer clusters of filler than 0.6 and keeps as many pairs of changed values together as any. But
sentences that a person would call one subject lie lower with this model (those about orders in docs/sleep.md at 0.50 to
0.69), so 0.5 was taken, and the figures above are of it. Cosine and shared words of repetitions stayed at 0.8; a word
in the place of another is no repetition any more, because that had linked facts about different services.
"""
