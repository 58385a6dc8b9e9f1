"""The Model Context Protocol: the tools and resources of one server, and who is at the other end of it."""
