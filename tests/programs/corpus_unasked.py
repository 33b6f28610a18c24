"""What methods change that nobody calls by name: operators, properties, setters; and what is evaluated though it is not needed."""
from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.with_arguments(1.3)


class Account:
    """Each way to use it leaves something in it."""

    def __init__(self, v):
        self.v = v
        self.last = None
        self.ready = False

    @property
    def value(self):
        return self.v

    @value.setter
    def value(self, new):
        self.last = self.v
        self.v = new

    @property
    def seen(self):
        self.last = self.v
        return self.v

    def __setitem__(self, k, new):
        self.last = self.v * new

    def __getitem__(self, k):
        self.v = self.v * 0.8
        return self.v

    def __add__(self, other):
        self.last = self.v
        self.ready = True
        return self.v + other

    def __iter__(self):
        self.last = self.v
        return iter([1.0, 2.0])

    def put(self, new):
        self.last = self.v
        self.v = new


def told(account, x):
    return x * 3.0 if account.last is None else x * account.last ** 2


@case
def set_by_a_setter(x):
    total = 0.0
    for k in range(3):
        account = Account(x)
        if k > 1:
            account.value = 2.0 * x
        total += x * 3.0 if account.last is None else x * account.last
    return total


@case
def set_by_a_setter_for_sure(x):
    account = Account(x)
    account.value = 2.0 * x
    return x * 3.0 if account.last is None else x * account.last


@case
def added_to_by_a_setter(x):
    account = Account(x)
    if x > 1.0:
        account.value += 2.0 * x
    return x * 3.0 if account.last is None else x * account.last * account.v


@case
def set_by_name(x):
    account = Account(x)
    if x > 1.0:
        for name in ("value",):
            setattr(account, name, 2.0 * x)
    return x * 3.0 if account.last is None else x * account.last


@case
def stored_by_an_index(x):
    account = Account(x)
    if x > 1.0:
        account[0] = x
    return x * 3.0 if account.last is None else x * account.last


@case
def changed_by_an_operator(x):
    account = Account(x)
    if x > 1.0:
        y = account + 1.0
        x = x * y
    return x * 3.0 if account.last is None else x * account.last


@case
def made_ready_by_an_operator(x):
    account = Account(x)
    if x > 1.0:
        y = account + x
        x = x + y
    return x * 3.0 if not account.ready else x * x


@case
def changed_by_a_loop_over_it(x):
    account = Account(x)
    if x > 1.0:
        for y in account:
            x = x * y
    return x * 3.0 if account.last is None else x * account.last


@case
def changed_by_a_property(x):
    account = Account(x)
    if x > 1.0:
        y = account.seen
        x = x * y
    return x * 3.0 if account.last is None else x * account.last


@case
def one_of_a_list(x):
    accounts = [Account(x), Account(2.0 * x)]
    accounts[int(x) % 2].value = x * x
    return x * 3.0 if accounts[1].last is None else x * accounts[1].last


@case
def one_of_a_list_by_a_method(x):
    accounts = [Account(x), Account(2.0 * x)]
    accounts[int(x) % 2].put(x * x)
    return told(accounts[1], x) + told(accounts[0], x)


@case
def one_of_a_dict_by_a_method(x):
    accounts = {k: Account(k * x) for k in range(2)}
    chosen = accounts[int(x)]
    chosen.put(x * x)
    return told(accounts[1], x) + told(accounts[0], x)


@case
def read_in_statements_of_its_own(x):
    account = Account(x)
    y = account[0]
    if y > 0.1:
        return account.v * y
    return account.v


def _next_of(x, k):
    xs = [x, x * x]
    found = next((v for v in [x] * k), xs.pop())
    return found + 2.0 * sum(xs)


@case
def default_of_next(x):
    return _next_of(x, 0) + _next_of(x, 1) * x


def _largest_of(x, k):
    xs = [x, x * x]
    found = max([x] * k, default=xs.pop())
    return found + 2.0 * sum(xs)


@case
def default_of_max(x):
    return _largest_of(x, 0) + _largest_of(x, 1) * x


@case
def longer_by_a_copy(x):
    xs = [x, 2.0 * x]
    xs.extend(v * x for v in xs[:])
    xs += (v + x for v in list(xs))
    return sum(xs)
