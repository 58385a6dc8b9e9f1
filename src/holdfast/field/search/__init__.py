"""Search: words and meaning put together, and what is known of a text besides. See ranking.rank."""
