"""What becomes of the memory of arrays that come and go in every call."""
from __future__ import annotations

import functools

import numpy as np

LARGEST = 32 * 2**20            # how far glibc lets its threshold rise on machines of 64 bits


@functools.cache
def keep_freed_memory() -> None:
    """Once a process: let the C library keep freed memory for the next call.

    A gradient allocates its tapes and adjoints anew in every call. glibc gives memory back to the system when 128 kB are free
    at the end of its heap, and maps larger arrays one by one; the next call then gets each page by a fault, which can take
    longer than the arithmetic (arrays of 1e4 elements: 4 to 20 times as long on a virtual machine). The limits are dynamic
    (mallopt(3), M_MMAP_THRESHOLD): a mapped block that is freed raises them to its size and twice its size. So this does what
    any program does that has once freed an array of 32 MB, without touching a page of it. Limits that the user has set by
    MALLOC_TRIM_THRESHOLD_ or MALLOC_MMAP_THRESHOLD_ stay as they are, and other C libraries take no notice.
    """
    np.empty(LARGEST - 2**16, np.uint8)
