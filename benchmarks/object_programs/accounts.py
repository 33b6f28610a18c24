"""Accounts in a dict, given from outside: transfers with a fee, interest, and an exception where an account is too low."""
import numpy as np


class Overdrawn(Exception):
    pass


def withdraw(account, amount):
    if account["balance"] < amount:
        raise Overdrawn
    account["balance"] -= amount


def primal(accounts, fee, penalty, amounts, transfers):
    earned = 0.0
    for (source, target), amount in zip(transfers, amounts):
        try:
            withdraw(accounts[source], amount * (1.0 + fee))
            accounts[target]["balance"] += amount
            earned += amount * fee
        except Overdrawn:
            accounts[source]["balance"] *= 1.0 - penalty
        accounts[target]["balance"] *= 1.0 + accounts[target]["rate"]
    spread = 0.0
    for account in accounts.values():
        spread += (account["balance"] - 1.0) ** 2
    return spread + earned


def fresh(accounts, fee, penalty, amounts, transfers):
    return {name: dict(account) for name, account in accounts.items()}, fee, penalty, amounts, transfers


def adjoint(accounts, fee, penalty, amounts, transfers):
    accounts = {name: dict(account) for name, account in accounts.items()}
    earned = 0.0
    tape = []
    for (source, target), amount in zip(transfers, amounts):
        before = accounts[source]["balance"]
        try:
            withdraw(accounts[source], amount * (1.0 + fee))
            accounts[target]["balance"] += amount
            earned += amount * fee
            refused = False
        except Overdrawn:
            accounts[source]["balance"] *= 1.0 - penalty
            refused = True
        tape.append((refused, before, accounts[target]["balance"]))
        accounts[target]["balance"] *= 1.0 + accounts[target]["rate"]
    spread = 0.0
    for account in accounts.values():
        spread += (account["balance"] - 1.0) ** 2

    # spread += (account["balance"] - 1.0) ** 2
    accounts_bar = {name: {"balance": 2.0 * (account["balance"] - 1.0), "rate": 0.0} for name, account in accounts.items()}
    amounts_bar = np.zeros(amounts.shape)
    fee_bar = penalty_bar = 0.0
    for k in reversed(range(len(tape))):
        source_bar, target_bar = accounts_bar[transfers[k][0]], accounts_bar[transfers[k][1]]
        amount, (refused, before, balance) = amounts[k], tape[k]
        # accounts[target]["balance"] *= 1.0 + accounts[target]["rate"]
        target_bar["rate"] += target_bar["balance"] * balance
        target_bar["balance"] *= 1.0 + accounts[transfers[k][1]]["rate"]
        if refused:
            # accounts[source]["balance"] *= 1.0 - penalty
            penalty_bar -= source_bar["balance"] * before
            source_bar["balance"] *= 1.0 - penalty
        else:
            # earned += amount * fee;  accounts[target]["balance"] += amount;  withdraw(accounts[source], amount * (1.0 + fee))
            fee_bar += amount * (1.0 - source_bar["balance"])
            amounts_bar[k] = fee + target_bar["balance"] - source_bar["balance"] * (1.0 + fee)
    return spread + earned, (accounts_bar, fee_bar, penalty_bar, amounts_bar)


INPUTS = ("accounts", "fee", "penalty", "amounts")
COUNTED = "transfers"


def make(size, rng):
    count, n = {"tiny": (3, 12), "full": (8, 200)}.get(size) or (8, size)
    accounts = {f"account{k}": {"balance": 1.0 + float(rng.random()), "rate": 0.001 * float(rng.random())} for k in range(count)}
    pairs = [rng.choice(count, 2, replace=False) for _ in range(n)]
    return accounts, 0.01, 0.05, rng.random(n), [(f"account{a}", f"account{b}") for a, b in pairs]
