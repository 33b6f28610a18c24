"""Passes that use kinds: methods, calls, containers and stores become functions of arrays and objects."""
