"""Passes from the naive sweeps to efficient code."""
