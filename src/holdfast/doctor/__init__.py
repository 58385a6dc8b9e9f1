"""The doctor: every link from a host's event to the vault, probed for real. Nothing changes unless it is asked to."""
