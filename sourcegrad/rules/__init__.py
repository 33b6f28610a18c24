"""Derivative rules, one file a family; importing this package registers all of them."""
