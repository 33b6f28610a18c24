"""Passes to core Python: one operation a statement, structured exits, loops over ranges, no inner functions."""
