"""The real agent CLIs, end to end, and the installed thing."""
