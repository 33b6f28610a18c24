"""Customers before counters: the next event comes from a heap, who waits stands in a deque, a customer remembers its times."""
import heapq
from collections import deque

import numpy as np


class Customer:
    def __init__(self, number, arrival, service):
        self.number = number
        self.arrival = arrival
        self.service = service
        self.start = None

    def end(self):
        return self.start + self.service


def primal(gaps, services, counters, patience):
    customers, events = [], []
    clock = 0.0
    for k in range(len(gaps)):
        clock = clock + gaps[k]
        customers.append(Customer(k, clock, services[k]))
        heapq.heappush(events, (clock, k, "arrives"))
    waiting, free = deque(), counters
    while events:
        now, k, what = heapq.heappop(events)
        if what == "arrives":
            waiting.append(customers[k])
        else:
            free += 1
        if free > 0 and waiting:
            customer = waiting.popleft()
            free -= 1
            customer.start = now
            heapq.heappush(events, (customer.end(), customer.number, "leaves"))
    cost = 0.0
    for customer in customers:
        cost += (customer.start - customer.arrival) ** 2 / patience + 0.1 * customer.end()
    return cost / len(customers)


def adjoint(gaps, services, counters, patience):
    customers, events = [], []
    clock = 0.0
    for k in range(len(gaps)):
        clock = clock + gaps[k]
        customers.append(Customer(k, clock, services[k]))
        heapq.heappush(events, (clock, k, "arrives"))
    waiting, free = deque(), counters
    started = []                                            # (who starts, whose event that is, which event)
    while events:
        now, k, what = heapq.heappop(events)
        if what == "arrives":
            waiting.append(customers[k])
        else:
            free += 1
        if free > 0 and waiting:
            customer = waiting.popleft()
            free -= 1
            customer.start = now
            heapq.heappush(events, (customer.end(), customer.number, "leaves"))
            started.append((customer.number, k, what))
    n = len(customers)
    cost = 0.0
    for customer in customers:
        cost += (customer.start - customer.arrival) ** 2 / patience + 0.1 * customer.end()

    start_bar, arrival_bar = np.full(n, 0.1 / n), np.zeros(n)
    services_bar = np.full(n, 0.1 / n)
    patience_bar = 0.0
    for k, customer in enumerate(customers):
        # cost += (customer.start - customer.arrival) ** 2 / patience + 0.1 * customer.end()
        wait = customer.start - customer.arrival
        start_bar[k] += 2.0 * wait / (patience * n)
        arrival_bar[k] -= 2.0 * wait / (patience * n)
        patience_bar -= (wait / patience) ** 2 / n
    for number, k, what in reversed(started):
        # customer.start = now: when a customer arrives, or when one leaves
        if what == "arrives":
            arrival_bar[k] += start_bar[number]
        else:
            start_bar[k] += start_bar[number]
            services_bar[k] += start_bar[number]
    # clock = clock + gaps[k]
    gaps_bar = np.cumsum(arrival_bar[::-1])[::-1]
    return cost / n, (gaps_bar, services_bar, patience_bar)


INPUTS = ("gaps", "services", "patience")
COUNTED = "customers"


def make(size, rng):
    n = {"tiny": 6, "full": 100}.get(size) or size
    return rng.exponential(1.0, n), rng.exponential(1.8, n), 2, 1.5
