"""The memory over HTTP, for programs on this machine: loopback or a unix socket, a token on every route, JSON."""
