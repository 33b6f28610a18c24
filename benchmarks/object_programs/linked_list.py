"""A linked list: links are put in front, values seep from one to the next, and the first link is moved to the end."""
import math

import numpy as np


class Link:
    def __init__(self, value, next):
        self.value = value
        self.next = next


def primal(x, decay, gain, turns):
    head = None
    for value in x:
        head = Link(value, head)
    last = head
    while last.next is not None:
        last = last.next
    for _ in range(turns):
        link = head
        while link.next is not None:
            link.value = math.tanh(decay * link.value + gain * link.next.value)
            link = link.next
        last.next = head
        last, head = head, head.next
        last.next = None
    total = 0.0
    link = head
    while link is not None:
        total = 0.9 * total + link.value ** 2
        link = link.next
    return total


class Shadowed(Link):
    """A link with the adjoint of its value."""

    def __init__(self, value, next):
        super().__init__(value, next)
        self.bar = 0.0


def adjoint(x, decay, gain, turns):
    head, links = None, []
    for value in x:
        head = Shadowed(value, head)
        links.append(head)
    last = links[0]
    tape = []
    for _ in range(turns):
        link = head
        while link.next is not None:
            tape.append((link, link.next, link.value, link.next.value))
            link.value = math.tanh(decay * link.value + gain * link.next.value)
            link = link.next
        last.next = head
        last, head = head, head.next
        last.next = None
    total = 0.0
    order = []
    link = head
    while link is not None:
        total = 0.9 * total + link.value ** 2
        order.append(link)
        link = link.next

    # total = 0.9 * total + link.value ** 2
    total_bar = 1.0
    for link in reversed(order):
        link.bar = 2.0 * total_bar * link.value
        total_bar *= 0.9
    decay_bar = gain_bar = 0.0
    for link, following, value, behind in reversed(tape):
        # link.value = math.tanh(decay * link.value + gain * link.next.value)
        inner_bar = (1.0 - link.value ** 2) * link.bar
        decay_bar += inner_bar * value
        gain_bar += inner_bar * behind
        link.bar = decay * inner_bar
        following.bar += gain * inner_bar
        link.value = value
    return total, (np.array([link.bar for link in links]), decay_bar, gain_bar)


INPUTS = ("x", "decay", "gain")
COUNTED = "links"


def make(size, rng):
    n, turns = {"tiny": (5, 3), "full": (30, 20)}.get(size) or (size, 3)
    return rng.standard_normal(n), 0.8, 0.5, turns
