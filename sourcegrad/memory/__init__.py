"""Functionalisation: every change becomes a new value of the name that holds the memory."""
