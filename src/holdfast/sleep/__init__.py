"""Sleep and density: what was written and read is put together, tested and put down as one page; whose traces count."""
