"""The capture room: what must not be lost is on disk here before anybody is told that it is."""
