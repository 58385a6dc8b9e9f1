"""The command line: one file per command, no logic. `fast` holds those that agents type often."""
