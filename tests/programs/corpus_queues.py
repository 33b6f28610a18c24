"""Branches that change what they have tested: queues, stacks, sets."""
import heapq

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add


def queue_beside_a_flag(x):
    queue, total, busy = [], 0.0, False
    for i in range(7):
        if i % 3:
            if busy:
                queue.append(i)
            else:
                busy = True
        elif queue:
            queue.pop(0)
            total += x * i
        else:
            busy = False
    return total


def queue_that_gets_empty(x):
    queue, total = [1], 0.0
    for i in range(7):
        if queue:
            queue.pop(0)
            total += x * i
        else:
            total += x * x
    return total


def filled_where_empty(x):
    queue, total = [1], 0.0
    for i in range(7):
        if not queue:
            total += x * i
            queue.append(i)
        else:
            queue.pop(0)
            total += x * x * i
    return total


def changed_by_another_name(x):
    queue, total = [1], 0.0
    other = queue
    for i in range(5):
        if queue:
            other.pop(0)
            total += x * i
        else:
            total += x * x
            other.append(2)
    return total


def take(queue):
    queue.pop(0)


def changed_by_a_function(x):
    queue, total = [1, 2], 0.0
    for i in range(5):
        if queue:
            take(queue)
            total += x * i
        else:
            total += x * x
    return total


def tested_by_its_length(x):
    stack, total = [1, 2], 0.0
    for i in range(5):
        if len(stack) > 1:
            stack.pop()
            total += x * i
        elif len(stack) == 1:
            stack.pop()
            total += x ** 3
        else:
            total += x * x
            stack.append(1)
    return total


def dict_that_is_cleared(x):
    table, total = {1: 1.0}, 0.0
    for i in range(5):
        if table:
            table.clear()
            total += x * i
        else:
            table[i] = 2.0
            total += x * x
    return total


def set_that_grows(x):
    seen, total = set(), 0.0
    for i in (1, 2, 1, 3, 2):
        if i in seen:
            total += x * x
        else:
            seen.add(i)
            total += x * i
    return total


class Desk:
    def __init__(self):
        self.queue = [1]


def queue_of_an_object(x):
    desk, total = Desk(), 0.0
    for i in range(5):
        if desk.queue:
            desk.queue.pop(0)
            total += x * i
        else:
            total += x * x
            desk.queue.append(i)
    return total


def values_of_a_stack(x):
    stack, total = [x], 0.0
    for i in range(5):
        if stack:
            total += stack.pop() * i
        else:
            total += x * x
            stack.append(total)
    return total


def element_that_is_tested(x):
    a, total = np.array([1.0, 0.0]), 0.0
    for i in range(4):
        if a[0]:
            a[0] = 0.0
            total += x * i
        else:
            a[0] = 1.0
            total += x * x
    return total


def last_of_a_stack(x):
    stack, total = [1, 2, 3], 0.0
    while stack:
        k = stack.pop()
        if stack:
            total += x * k
        else:
            total += x * x
    return total


def taken_in_an_expression(x):
    stack, total = [1], 0.0
    for _ in range(4):
        total += x * stack.pop() if stack else x * x
    return total


def last_item_is_tested(x):
    stack, total = [1, 2], 0.0
    for i in range(5):
        if stack and stack[-1] > 0:
            stack.pop()
            total += x * i
        else:
            total += x * x
    return total


def waiting_line(rate, work):
    events = [(work[0] / rate, 0)]
    waiting = []
    n, total, busy = 1, 0.0, False
    while events:
        time, customer = heapq.heappop(events)
        total += time
        if customer >= 0:
            if busy:
                waiting.append(customer)
            else:
                busy = True
                heapq.heappush(events, (time + 0.77 / rate, -1))
            if n < len(work):
                heapq.heappush(events, (time + work[n] / rate, n))
                n += 1
        elif waiting:
            waiting.pop(0)
            heapq.heappush(events, (time + 0.77 / rate, -1))
        else:
            busy = False
    return total


for function in (queue_beside_a_flag, queue_that_gets_empty, filled_where_empty, changed_by_another_name, changed_by_a_function,
                 tested_by_its_length, dict_that_is_cleared, set_that_grows, queue_of_an_object, values_of_a_stack,
                 element_that_is_tested, last_of_a_stack, taken_in_an_expression, last_item_is_tested):
    case(function, 0.7)
case(waiting_line, 1.2, np.array([0.3, 0.5, 0.2, 0.9, 0.1]), inputs=("rate", "work"), oracle=False)


# --- what else has a truth

class Waiting:
    def __init__(self):
        self.items = [1, 2]

    def __len__(self):
        return len(self.items)

    def take(self):
        return self.items.pop()


def object_with_a_length(x):
    waiting, total = Waiting(), 0.0
    for _ in range(4):
        if waiting:
            total += x * waiting.take()
        else:
            total += x * x
    return total


class Ticket:
    def __init__(self, n):
        self.n = n

    def __bool__(self):
        return self.n > 0


def object_with_a_truth(x):
    ticket, total = Ticket(2), 0.0
    for i in range(4):
        if ticket:
            ticket.n -= 1
            total += x * i
        else:
            total += x * x
    return total


def exchanged_where_one_is_empty(x):
    a, b, total = [1], [], 0.0
    for i in range(4):
        if a:
            total += x * i
        else:
            total += x * x
        a, b = b, a
    return total


def rows_that_get_empty(x):
    rows, total = [[1], [2, 3]], 0.0
    for i in range(4):
        row = rows[i % 2]
        if row:
            row.pop()
            total += x * i
        else:
            total += x * x
    return total


def stack_of_a_closure(x):
    stack, total = [3, 2, 1], 0.0

    def step():
        nonlocal total
        if stack:
            total += x * stack.pop()
        else:
            total += x * x

    for _ in range(5):
        step()
    return total


def array_of_one_that_falls(x):
    a, total = np.array([2.0]), 0.0
    for i in range(4):
        if a > 0:
            a -= 1.0
            total += x * i
        else:
            total += x * x
    return total


for function in (object_with_a_length, object_with_a_truth, exchanged_where_one_is_empty, rows_that_get_empty, stack_of_a_closure,
                 array_of_one_that_falls):
    case(function, 0.7)
