"""The help of the fast commands, word for word as it is printed."""

from __future__ import annotations

FLAG = """Usage: holdfast flag [OPTIONS] TEXT...

  Save one durable fact per TEXT, synced to disk before the answer. `-` reads them from stdin, one per line:
  holdfast flag - <<'END' is safe for backticks, $ and quotes; in double quotes a shell eats them.

Options:
  --kind KIND          decision, rule, lesson, preference, fact (default), progress, snag, user-request
  --evidence EVIDENCE  file:line, commit, quote or URL; may be repeated
  --for ID             this puts the user's own words properly, which are kept under ID
  --nothing            there is nothing durable to flag; takes no TEXT
  --json               answer as JSON
  --help               show this
"""
HOOK = """Usage: holdfast hook HOST < PAYLOAD

  Run the hook as HOST (claude-code, codex, generic) would: its JSON on stdin, its reply on stdout, status 0.
"""
PAUSE = """Usage: holdfast pause

  Capture nothing on this machine until `holdfast resume`. What is in the queue stays there.
"""
REMEMBER = """Usage: holdfast remember [OPTIONS] TEXT...

  File a text as a note at once, with your authority, and say where. `-` reads it from stdin.

Options:
  --kind KIND      knowledge (default), rule, feedback, identity, project; or a kind of flag, such as lesson
  --name NAME      its name; else the beginning of the text
  --reason TEXT    why; a correction without its reason is soon overruled
  --apply TEXT     how to apply it
  --policy POLICY  of a rule: do, ask or never
  --supersedes NOTE  the note that this one replaces; it is kept, and no longer loaded
  --for ID         this puts the user's own words properly, which are kept under ID
  --global         for all projects, not only this one
  --json           answer as JSON
  --help           show this
"""
SNAG = """Usage: holdfast snag [OPTIONS] TEXT... --better TEXT

  Save what went wrong and the better path; `-` reads both from stdin, the second behind "Better:". The close makes an
  edit of it: of the rule or skill that is named, or of a note that comes back by itself at the tool, command or file
  that the snag names. `holdfast loops` shows which.

Options:
  --better TEXT        what to do instead, next time
  --rule NAME          the rule that should say so; it is made where there is none
  --skill NAME         the skill that should say so, by its folder; waits in `holdfast review` unless you allow it
  --evidence EVIDENCE  file:line, commit, quote or URL; may be repeated
  --json               answer as JSON
  --help               show this
"""
RESUME = """Usage: holdfast resume

  End a pause.
"""
CHECKPOINT = """Usage: holdfast task checkpoint [OPTIONS] TEXT...

  Add one entry to the memory of a task, synced to disk before the answer.

  Without a section the form of the text must say it: COMPLETED / IN_PROGRESS / PENDING …, "DO NOT …",
  "Use X because …", "Discovered …", "Next: …". `-` reads the text from stdin.

Options:
  --decision       it binds later work; refused where it touches a decision in force
  --progress       units and their state: "COMPLETED: files 048-091", "IN_PROGRESS: files 092-??? (stopped at 094)"
  --discovery      something that later work must know
  --next           the one exact next step
  --supersedes ID  the entry that this one replaces; may be repeated
  --and            this decision and those that it touches both hold
  --task ID        which task, where several are open in this project
  --json           answer as JSON
  --help           show this
"""
NEXT = """Usage: holdfast task next [OPTIONS] [ID]

  Print the one exact next step of a task; status 1 where nothing is left.

Options:
  --json  as JSON: {"task", "state", "next", "unit", "begun", "seen": {"done", "begun"}}
  --help  show this
"""
IS_DONE = """Usage: holdfast task is-done [OPTIONS] UNIT...

  Whether a unit is done, for scripts: status 0 if it is completed or skipped, or was seen done by the hook, 1 if not.

Options:
  --task ID  which task, where several are open in this project
  --claimed  only what somebody said counts, not what the hook saw
  --json     as JSON: {"task", "unit", "done", "seen"}; done is null where nothing was said of it
  --help     show this
"""
