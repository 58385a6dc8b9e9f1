"""What must not be lost: it is on disk here before anybody is told that it is. Standard library only."""
