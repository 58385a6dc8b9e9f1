"""The command line: a function per command, no logic. `fast` holds those that agents type often."""
