"""A store that sells first what came in first: lots in deques of a defaultdict, bought and used up."""
from collections import defaultdict, deque

import numpy as np


class Lot:
    def __init__(self, quantity, price):
        self.quantity = quantity
        self.price = price


def primal(quantities, prices, interest, orders):
    stock = defaultdict(deque)
    profit = missed = 0.0
    for k, (what, item) in enumerate(orders):
        if what == "buy":
            stock[item].append(Lot(quantities[k], prices[k]))
        else:
            need = quantities[k]
            lots = stock[item]
            while need > 0.0 and lots:
                lot = lots[0]
                sold = min(need, lot.quantity)
                profit += sold * (2.0 * prices[k] - lot.price)
                lot.quantity -= sold
                need -= sold
                if lot.quantity <= 0.0:
                    lots.popleft()
            missed += need ** 2
        profit *= 1.0 + interest
    left = 0.0
    for lots in stock.values():
        for lot in lots:
            left += lot.quantity * lot.price
    return profit - missed + 0.5 * left


def adjoint(quantities, prices, interest, orders):
    stock = defaultdict(deque)
    profit = missed = 0.0
    tape = []
    for k, (what, item) in enumerate(orders):
        sales, need = [], 0.0
        if what == "buy":
            lot = Lot(quantities[k], prices[k])
            lot.bought = k
            stock[item].append(lot)
        else:
            need = quantities[k]
            lots = stock[item]
            while need > 0.0 and lots:
                lot = lots[0]
                all_needed = need <= lot.quantity
                sold = need if all_needed else lot.quantity
                profit += sold * (2.0 * prices[k] - lot.price)
                lot.quantity -= sold
                need -= sold
                sales.append((lot.bought, sold, all_needed))
                if lot.quantity <= 0.0:
                    lots.popleft()
            missed += need ** 2
        tape.append((sales, need, profit))
        profit *= 1.0 + interest
    left = 0.0
    quantities_bar, prices_bar = np.zeros(quantities.shape), np.zeros(prices.shape)
    for lots in stock.values():
        for lot in lots:
            left += lot.quantity * lot.price
            # return profit - missed + 0.5 * left
            quantities_bar[lot.bought] = 0.5 * lot.price
            prices_bar[lot.bought] = 0.5 * lot.quantity

    profit_bar, interest_bar = 1.0, 0.0
    for k in reversed(range(len(orders))):
        sales, need, before = tape[k]
        # profit *= 1.0 + interest
        interest_bar += profit_bar * before
        profit_bar *= 1.0 + interest
        # missed += need ** 2
        need_bar = -2.0 * need
        for bought, sold, all_needed in reversed(sales):
            # need -= sold;  lot.quantity -= sold: the adjoint of what a lot holds is that of what was bought
            margin = 2.0 * prices[k] - prices[bought]
            sold_bar = profit_bar * margin - need_bar - quantities_bar[bought]
            # profit += sold * (2.0 * prices[k] - lot.price)
            prices_bar[k] += 2.0 * profit_bar * sold
            prices_bar[bought] -= profit_bar * sold
            # sold = min(need, lot.quantity)
            if all_needed:
                need_bar += sold_bar
            else:
                quantities_bar[bought] += sold_bar
        if orders[k][0] != "buy":
            quantities_bar[k] = need_bar
    return profit - missed + 0.5 * left, (quantities_bar, prices_bar, interest_bar)


INPUTS = ("quantities", "prices", "interest")
COUNTED = "orders"


def make(size, rng):
    n = {"tiny": 12, "full": 150}.get(size) or size
    orders = [("buy" if rng.random() < 0.55 else "sell", f"item{rng.integers(4)}") for _ in range(n)]
    return 0.5 + rng.random(n), 1.0 + rng.random(n), 0.1 / n, orders
