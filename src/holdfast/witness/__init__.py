"""The account of a session, quoted from what the model, the user and the tools already said. Standard
library only: the hook tells it at the very next start."""
