"""From a Python function to a unit: its tree, statements written out, names resolved."""
