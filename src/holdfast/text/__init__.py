"""Text of other people and programs: transcripts, orders, command lines, read without believing them. Standard library
only."""
