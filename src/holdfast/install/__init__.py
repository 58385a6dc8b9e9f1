"""The install room: launchers, the hosts' settings, the plugin, the demonstration."""
