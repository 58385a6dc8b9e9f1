"""Starting a host for a task, headless or from cron: its memory before the prompt, one at a time, all on record."""
