"""The install room: the launchers now, the hosts' settings later."""
