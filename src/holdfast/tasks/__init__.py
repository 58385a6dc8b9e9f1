"""Task memory: long tasks that survive any number of context windows. Standard library only, on capture alone."""
