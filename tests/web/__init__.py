"""The page in a real browser: Debian's Chromium, a real server, a real vault."""
