"""`try` blocks that change objects, lists and dicts before an exception comes: what was changed stays changed, as in Python."""
from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import UnsupportedError
from tests.kinds.places import programs_of
from tests.programs.place_generator import RAISES, REFUSED, WRONG, verdict
from tests.programs.try_generator import TryWriter

X = np.array([0.8, 0.3, 1.1])


class Refused(Exception):
    pass


class TooLow(Refused):
    pass


class Numbered(Exception):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.count = 0
        self.log = []

    def take(self, v):
        self.count += 1
        self.balance = self.balance * 0.9
        if self.balance < v:
            raise TooLow("too low")
        self.balance -= v
        self.log.append(v)
        return self.balance * v

    def pay(self, other, v):
        self.take(v)
        other.update(v)

    def update(self, v):
        self.balance += v * v
        if self.count > 2:
            raise Numbered("often", self.count)


def withdraw(d, key, v):
    d[key] = d[key] * 0.9
    if d[key] < v:
        raise Refused
    d[key] -= v


def method(x):
    a = Account(x[0])
    total = 0.0
    for v in (0.2, 0.4, 0.5, 0.1):
        try:
            total = total + a.take(v * x[1])
        except TooLow:
            total = total + a.balance * x[2]
    return total + a.balance * a.count + sum(a.log)


def nested_calls(x):
    a, b = Account(x[0]), Account(x[1])
    for v in (0.1, 0.2, 0.3, 0.4, 0.2):
        try:
            a.pay(b, v * x[2])
            b.pay(a, v)
        except Numbered as error:
            a.balance += 0.1 * error.code * x[0]
        except Refused:
            b.balance *= 1.1
    return a.balance * b.balance + a.count * x[1] + sum(a.log) * sum(b.log)


def shared_reference(x):
    a = Account(x[0])
    objs = [a, Account(x[1]), a]
    for k in range(6):
        try:
            objs[k % 3].take(0.2 * x[2])
        except Refused:
            objs[(k + 1) % 3].balance += x[1]
    return sum(o.balance * o.count for o in objs)


def local_names_are_kept(x):
    a = Account(x[0])
    total = 0.0
    n = 0
    for v in (0.2, 0.9, 0.1):
        try:
            total = total + v * x[1]
            n += 1
            a.take(v)
            total = total * 2.0
            n += 10
        except TooLow:
            total = total + n * x[2]
    return total * a.balance


def else_and_finally(x):
    a, b = Account(x[0]), Account(x[1])
    for v in (0.3, 0.5, 0.2):
        try:
            a.take(v)
        except TooLow:
            a.balance += b.balance
        else:
            b.balance *= x[2]
        finally:
            b.balance += 0.1 * a.balance
    return a.balance + b.balance * x[0]


def inner_does_not_catch(x):
    a, b = Account(x[0]), Account(x[1])
    total = 0.0
    for v in (0.2, 0.6, 0.1):
        try:
            try:
                a.take(v)
                b.take(v)
            except KeyError:
                total = total + 100.0 * x[0]
            finally:
                total = total + b.balance
        except Refused:
            total = total * x[2]
    return total + a.balance * b.balance


def raised_by_a_handler(x):
    a, b = Account(x[0]), Account(x[1])
    for v in (0.2, 0.9, 0.3):
        try:
            try:
                a.take(v)
            except TooLow:
                a.balance += b.balance
                raise Numbered("again", 2)
        except Numbered as error:
            b.balance *= error.code * x[2]
    return a.balance * b.balance


def raised_again(x):
    a, b = Account(x[0]), Account(x[1])
    for v in (0.2, 0.9, 0.3):
        try:
            try:
                a.take(v)
            except Refused:
                a.balance += b.balance
                raise
        except TooLow:
            b.balance *= x[2]
    return a.balance * b.balance


def in_a_loop_of_the_body(x):
    a = Account(x[0])
    total = 0.0
    try:
        for v in (0.1, 0.2, 0.3, 0.5):
            total = total + a.take(v * x[1])
            total = total * x[2]
    except TooLow:
        a.balance = a.balance + total
    return total * a.balance


def missing_key(x):
    d = {"a": x[0]}
    o = Account(x[1])
    o.table = d
    total = 0.0
    for key in ("a", "b", "a", "b"):
        try:
            o.table[key] *= x[2]
            total = total + d[key]
        except KeyError:
            d[key] = x[1] * 0.5
    return total * d["b"]


def missing_item(x):
    o = Account(x[0])
    total = 1.0
    for v in (0.1, 0.2, 0.3):
        try:
            o.log.append(v * x[1])
            total = total * o.log[1]
            total = total + o.log.pop()
            total = total + o.log.pop(2)
        except IndexError:
            total = total + x[2]
    return total + sum(o.log)


def stored_item(x):
    o = Account(x[0])
    o.log = [x[1], x[2]]
    for k in range(4):
        try:
            o.balance *= 1.1
            o.log[k] = o.balance * k
        except IndexError:
            o.log.append(o.balance)
    return sum(v * v for v in o.log)


def either_lookup(x):
    o = Account(x[0])
    o.table = {"p": x[1]}
    for k in range(3):
        try:
            o.balance *= 0.9
            o.log.append(o.table["p" if k < 2 else "q"])
            o.balance += o.log[2 - k]
        except KeyError:
            o.balance *= x[2]
        except IndexError:
            o.balance += x[2]
    return o.balance * sum(o.log)


def division(x):
    o = Account(x[0])
    for n in (2, 0, 3):
        try:
            o.balance *= x[1]
            o.balance = o.balance + x[2] * (1 / n)
        except ZeroDivisionError:
            o.balance -= x[1]
    return o.balance ** 2


def deleted_and_popped(x):
    o = Account(x[0])
    o.table, o.log, o.line = {"k": x[1]}, [x[0], x[1], x[2]], deque([x[2]])
    total = 0.0
    for k in range(3):
        try:
            o.balance *= 1.1
            total = total + o.line.popleft() * o.balance
            del o.table["k"]
            total = total + o.balance
            del o.log[k]
            total = total + o.balance
            total = total + o.table.pop("k")
        except IndexError:
            o.balance *= 3.0
        except KeyError:
            o.balance += x[1]
            o.table["k"] = x[2]
            o.line.append(o.balance)
    return o.balance * total + sum(o.log)


def exception_of_the_user_that_is_a_key_error(x):
    o = Account(x[0])
    o.table = {"a": x[1]}
    for key in ("a", "b"):
        try:
            o.balance *= 1.1
            o.balance += looked_up(o.table, key)
        except NotFound:
            o.balance *= x[2]
    return o.balance


class NotFound(KeyError):
    pass


def looked_up(table, key):
    if key not in table:
        raise NotFound(key)
    return table[key]


def inner_function(x):
    o = Account(x[0])

    def high(v):
        if v > 0.5:
            raise ValueError("high")
        o.balance += v

    for v in (0.5, 1.5, 0.3):
        try:
            high(v * x[2])
        except ValueError:
            o.balance *= x[1]
    return o.balance


def left_from_inside(x):
    o = Account(x[0])

    def run():
        for v in (0.5, 1.5, 0.7):
            try:
                o.balance += v * x[1]
                if v > 1.0:
                    return o.balance * 2.0
            except KeyError:
                return 0.0
            finally:
                o.balance *= x[2]
        return o.balance

    return run() * o.balance


def breaks_and_continues(x):
    o = Account(x[0])
    o.log = [x[1], x[2]]
    total = 0.0
    for k in range(4):
        try:
            o.balance *= 1.1
            for j in range(3):
                if j == k:
                    continue
                if j + k == 3:
                    break
                total = total + o.log[j] * o.balance
        except IndexError:
            o.balance *= 3.0
            continue
        total = total * 1.1
    return o.balance * total


def dict_without_objects(x):
    d = {"a": x[0] * 3.0, "b": x[1]}
    total = 0.0
    for key, v in (("a", 0.5), ("b", 0.9), ("a", 0.4)):
        try:
            withdraw(d, key, v * x[2])
        except Refused:
            d[key] += x[2]
            total = total + d["a"]
    return total * d["a"] + d["b"]


def list_without_objects(x):
    xs = [x[0], x[1]]
    total = 1.0
    for k in range(4):
        try:
            total = total * xs.pop()
        except IndexError:
            xs.append(total * x[2])
    return total + len(xs) * x[0]


def raised_in_the_block(x):
    a = Account(x[0])
    for v in x:
        try:
            a.balance += v
            if a.balance > 1.5:
                raise ValueError("too high")
            a.balance *= 1.2
        except ValueError:
            a.balance *= 0.5
    return a.balance ** 2


def a_check_that_raises_a_value_error(x):
    o = Account(x[0])
    lost = 0.0
    for k, v in enumerate((0.4, 1.6, 0.2)):
        try:
            o.balance *= 1.0 + 1.0 / (k + 1)
            checked(o, "ab"[k % 2], v * x[1])
        except ValueError:
            lost += v * x[2]
    return o.balance * lost + sum(o.log)


def checked(o, name, v):
    if v > 0.4:
        raise ValueError(f"{name}: {v}")
    o.log.append(v * o.balance)


def class_of_several(x):
    objs = [Account(x[0]), Saving(x[1])]
    for v in (0.3, 0.6):
        for o in objs:
            try:
                o.take(v * x[2])
            except Refused:
                o.balance += 0.3
    return objs[0].balance * objs[1].balance


class Saving(Account):
    def take(self, v):
        self.balance *= 1.01
        if v > 0.5:
            raise Refused
        self.balance -= 0.5 * v


PROGRAMS = programs_of(globals())


def by_differences(f: Any, x: np.ndarray) -> np.ndarray:
    return np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any) -> None:
    for x in (X, X * 0.7 + 0.2, X):
        assert np.allclose(sg.grad(f)(x), by_differences(f, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any) -> None:

    def projected(x: np.ndarray) -> Any:
        return np.sum(sg.grad(f)(x) * np.array([0.3, -0.7, 1.1]))

    assert np.allclose(sg.grad(projected)(X), by_differences(projected, X), rtol=1e-5, atol=1e-6)


def given(accounts, fee, amounts):
    earned = 0.0
    for name, amount in amounts:
        try:
            withdraw(accounts[name], "balance", amount * fee)
            earned += amount * fee
        except Refused:
            accounts[name]["balance"] *= 1.0 - fee
        accounts[name]["balance"] *= 1.0 + accounts[name]["rate"]
    return earned + sum(account["balance"] ** 2 for account in accounts.values())


def test_dicts_of_dicts_that_are_given() -> None:
    accounts = {name: {"balance": 1.0 + 0.1 * k, "rate": 0.01 * k} for k, name in enumerate("abcdefgh")}
    amounts = [("a", 0.5), ("b", 2.0), ("h", 0.3), ("a", 0.6), ("b", 0.1)]
    before = {name: dict(account) for name, account in accounts.items()}
    found, by_fee = sg.grad(given, inputs=("accounts", "fee"))(accounts, 0.4, amounts)
    assert accounts == before
    for name in accounts:
        for key in ("balance", "rate"):
            values = []
            for step in (1e-6, -1e-6):
                changed = {other: dict(account) for other, account in before.items()}
                changed[name][key] += step
                values.append(given(changed, 0.4, amounts))
            assert np.isclose(found[name][key], (values[0] - values[1]) / 2e-6, atol=1e-8)
    ends = [given({name: dict(account) for name, account in before.items()}, 0.4 + h, amounts) for h in (1e-6, -1e-6)]
    assert np.isclose(by_fee, (ends[0] - ends[1]) / 2e-6)


def test_text_has_no_exception_left() -> None:
    gradient = sg.grad(given, inputs=("accounts", "fee"))
    gradient({"a": {"balance": 1.0, "rate": 0.1}, "b": {"balance": 1.0, "rate": 0.1}}, 0.4, [("a", 0.5)])
    assert "try" not in gradient.source.replace("# ", "").split("reverse sweep")[0] and "raised" not in gradient.source


def broad(x):
    a = Account(x[0])
    try:
        a.balance *= 2.0
        a.balance += np.linalg.inv(np.eye(2) * x[1])[0, 0]
    except Exception:
        a.balance = x[2]
    return a.balance


def none_is_caught(x):
    a = Account(x[0])
    a.last = None
    for v in x:
        try:
            a.balance *= 1.1
            a.balance += a.last * v
        except TypeError:
            a.balance += v
        a.last = v
    return a.balance


def unpacked(x):
    a = Account(x[0])
    a.log = [[x[0], x[1]], [x[2]]]
    for pair in a.log:
        try:
            a.balance *= 1.1
            first, second = pair
            a.balance += first * second
        except ValueError:
            a.balance += 1.0
    return a.balance


def attribute_that_is_not_there(x):
    a = Account(x[0])
    for v in x:
        try:
            a.balance *= 1.1
            a.balance += a.cached * v
        except AttributeError:
            a.cached = v
    return a.balance


def function_of_math(x):
    a = Account(x[0])
    for v in (1.0, -2.0, 3.0):
        try:
            a.balance *= 1.1
            a.balance += math.sqrt(v * x[1])
        except ValueError:
            a.balance *= x[2]
    return a.balance


MAY_RAISE = [broad, none_is_caught, unpacked, attribute_that_is_not_there, function_of_math]


@pytest.mark.parametrize("f", MAY_RAISE, ids=lambda f: f.__name__)
def test_what_nobody_asks_for_before_is_refused_or_right(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    try:
        found = sg.grad(f)(X)
    except UnsupportedError as error:
        assert error.origin is not None and error.origin.file == __file__
    else:
        assert np.allclose(found, by_differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    found, what = verdict(7000 + seed, 1, TryWriter)
    assert found != WRONG, what


@pytest.mark.parametrize("seed", range(2))
def test_random_programs_at_second_order(seed: int) -> None:
    found, what = verdict(7100 + seed, 2, TryWriter)
    assert found in (REFUSED, RAISES, "right"), what


def always_raises(x):
    try:
        raise ValueError("never falls through")
    except ValueError:
        return 2.0 * x[0] * x[1]


def test_a_body_that_always_raises() -> None:
    value, found = sg.value_and_grad(always_raises)(X)
    assert value == always_raises(X) and np.allclose(found, by_differences(always_raises, X))


def drawn(account, amounts):
    for v in amounts:
        try:
            withdraw(account, "balance", v)
        except Refused:
            account["balance"] *= 1.0 + account["rate"]
    return account["balance"] ** 2


def test_one_dict_that_is_given() -> None:
    account = {"balance": 1.0, "rate": 0.1}
    found = sg.grad(drawn)(account, [0.3, 2.0, 0.1])
    assert account == {"balance": 1.0, "rate": 0.1}
    for key in account:
        ends = [drawn({**account, key: account[key] + h}, [0.3, 2.0, 0.1]) for h in (1e-6, -1e-6)]
        assert np.isclose(found[key], (ends[0] - ends[1]) / 2e-6, atol=1e-8)
