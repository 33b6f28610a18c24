"""The helpers that generated code may call: numpy only, each with a derivative rule of its own.

One file a family; everything is exported here, and generated code names the helpers without a prefix.
"""
from sourcegrad.runtime.core import *          # noqa: F403
