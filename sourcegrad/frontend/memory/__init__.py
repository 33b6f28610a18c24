"""Mutation made functional; see walk.py."""
from sourcegrad.frontend.memory.state import NO_EFFECTS, Effects
from sourcegrad.frontend.memory.walk import memory

__all__ = ["NO_EFFECTS", "Effects", "memory"]
