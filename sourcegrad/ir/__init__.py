"""What all passes share: trees, functions and units, names, source text, control flow."""
