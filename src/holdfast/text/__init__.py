"""The text room: what other people and programs wrote, read without believing it. The standard library only."""
