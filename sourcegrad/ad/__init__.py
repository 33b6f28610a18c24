"""The reverse transformation: a forward sweep that records, a reverse sweep that restores and accumulates."""
