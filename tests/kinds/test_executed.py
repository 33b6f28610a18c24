"""Binding times: what depends on no input, and cannot be followed, runs as it stands; what does depend on one is refused."""
from __future__ import annotations

import collections
import configparser
import datetime
import json
import linecache
import queue
import textwrap
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api import observation

# An expression that cannot be followed, of `n` (an int), `word` (a text) and what is outside, and its value
EXPRESSIONS = {
    "evaluated": ("eval('[1.0, 2.0, 3.0]')[n]", 2.0),
    "evaluated_global": ("eval('OPTIONS')['rate']", 0.25),
    "parsed": ("json.loads(TEXT)['w'][n]", 5.0),
    "looked_up": ("FACTORS[word]", 1.5),
    "made_by_exec": ("BUILT(n)", 3.0),
    "of_a_date": ("float((datetime.date(2020, 1, 1 + n) - datetime.date(2020, 1, 1)).days)", 1.0),
    "of_a_file": ("CONFIGURED.getfloat('a', word)", 0.5),
    "of_instance_dict": ("vars(BOX)['held'] * n", 7.0),
    "unpacked": ("sum(eval('(1.0, 2.0)'))", 3.0),
    "formatted": ("float(f'{BOX.held:.1f}')", 7.0),
    "chosen_function": ("eval('max')(n, 2)", 2.0),
    "of_an_array": ("eval('WEIGHTS')", np.array([1.0, 2.0, 4.0])),
    "made_array": ("np.array(json.loads('[1.0, 2.0, 4.0]'))", np.array([1.0, 2.0, 4.0])),
    "counted": ("len(eval('{1, 2}')) * 1.0", 2.0),
    "text": ("{'rate': 2.5}[eval('\"ra\"') + 'te']", 2.5),
}
# Programs in which it stands
PLACES = {
    "factor": "def f(x, n, word):\n    return np.sum(x * X * ({}))\n",
    "named": "def f(x, n, word):\n    c = {}\n    return np.sum(x * x * X * c)\n",
    "in_a_loop": "def f(x, n, word):\n    t = 0.0\n    for k in range(3):\n        t = t + np.sum(x * ({})) * k\n    return t\n",
    "in_a_branch": "def f(x, n, word):\n    y = x * X\n    if n > 0:\n        y = y * ({})\n    return np.sum(y)\n",
    "argument": "def g(a, c):\n    return np.sum(np.sin(a) * c)\n\n\ndef f(x, n, word):\n    return g(x * X, {})\n",
    "in_a_callee": "def g(a, n, word):\n    return np.sum(np.sin(a) * ({}))\n\n\n"
                   "def f(x, n, word):\n    return g(x * X, n, word)\n",
    "in_a_method": "class Model:\n    def __init__(self, n, word):\n        self.n, self.word = n, word\n\n    def run(self, a):\n"
                   "        n, word = self.n, self.word\n        return np.sum(np.exp(0.1 * a) * ({}))\n\n\n"
                   "def f(x, n, word):\n    return Model(n, word).run(x * X)\n",
    "inner_function": "def f(x, n, word):\n    def g(a):\n        return np.sum(a * a * ({}))\n    return g(x * X)\n",
    "condition": "def f(x, n, word):\n    y = x * X\n    if np.all(np.asarray({}) < 100.0):\n        y = y * 3.0\n"
                 "    return np.sum(y)\n",
}
HEAD = """
import datetime
import json
import numpy as np

TEXT = '{"w": [4.0, 5.0, 6.0]}'
OPTIONS = {"rate": 0.25}
WEIGHTS = np.array([1.0, 2.0, 4.0])
X = np.array([0.5, -1.0, 2.0])


class Registry(dict):
    def __missing__(self, name):
        self[name] = len(name) * 0.5
        return self[name]


class Box:
    def __init__(self):
        self.held = 7.0


FACTORS, BOX = Registry(), Box()


"""


def made(name: str, text: str) -> dict[str, Any]:
    file = f"<executed {name}>"
    text = HEAD + text
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    found: dict[str, Any] = {"__name__": "executed", "CONFIGURED": configparser.ConfigParser()}
    found["CONFIGURED"].read_string("[a]\ntwo = 0.5\n")
    exec("def BUILT(n):\n    return 2.0 + n\n", found)
    exec(compile(text, file, "exec"), found)
    return found


def by_differences(f: Any, x: float, *rest: Any) -> float:
    return (f(x + 1e-5, *rest) - f(x - 1e-5, *rest)) / 2e-5


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_runs_as_it_stands(expression: str, place: str) -> None:
    text, value = EXPRESSIONS[expression]
    word = "two" if expression in ("of_a_file", "looked_up") else "rate"
    f = made(f"{expression} {place}", PLACES[place].format(text))["f"]
    by_value = made("value", PLACES[place].format(repr(value).replace("array", "np.array")))["f"]
    assert np.allclose(f(0.3, 1, word), by_value(0.3, 1, word))
    g = sg.grad(f, inputs="x")
    for x in (0.3, -1.2):
        for _ in range(2):
            assert np.isclose(g(x, 1, word), by_differences(f, x, 1, word), atol=1e-8)
    twice = sg.grad(g, inputs="x")(0.3, 1, word)
    assert np.isclose(twice, by_differences(g, 0.3, 1, word), atol=1e-7)


# Statements that depend on no input and cannot be followed, and what they make
ROWS = {
    "parser": ("p = configparser.ConfigParser()\np.read_string('[a]\\nrate = 0.5\\n')\nc = p.getfloat('a', 'rate')", 0.5),
    "list": ("c = []\nfor k in range(n):\n    c.append(eval('2.0'))\nc = c[-1]", 2.0),
    "table": ("c = {}\nfor k in range(4):\n    c[eval('str')(k)] = [k * 0.5, {'deep': k}]\nc = c['3'][0]", 1.5),
    "with": ("with open(__import__('os').devnull) as handle:\n    c = len(handle.read()) + 3.0", 3.0),
    "try": ("try:\n    c = float(eval('\"word\"'))\nexcept ValueError:\n    c = 4.0", 4.0),
    "while": ("c = 1.0\nwhile c < min(eval('(3.0, 4.0)')):\n    c += eval('1.0')", 3.0),
    "counter": ("c = collections.Counter(eval('\"abba\"'))\nc.update('aa')\nc = c['a'] * 1.0", 4.0),
}
AROUND = {
    "straight": "def f(x, n):\n    y = x * X\n{}    return np.sum(y * y * c)\n",
    "branch": "def f(x, n):\n    y = x * X\n    c = 1.0\n    if n > 0:\n{}    return np.sum(y * c)\n",
    "callee": "def made(n):\n{}    return c\n\n\ndef f(x, n):\n    return np.sum(np.sin(x * X) * made(n))\n",
    "method": "class Model:\n    def __init__(self, n):\n{}        self.c = c\n\n    def run(self, a):\n"
              "        return np.sum(a * self.c)\n\n\ndef f(x, n):\n    return Model(n).run(x * X) * x\n",
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("row", ROWS)
def test_statements_run_as_they_stand(row: str, around: str) -> None:
    text, value = ROWS[row]
    indent = " " * (8 if around in ("branch", "method") else 4)
    module = made(f"{row} {around}", AROUND[around].format(textwrap.indent(text + "\n", indent)))
    module.update(configparser=configparser, collections=collections)
    f, g = module["f"], sg.grad(module["f"], inputs="x")
    by_value = made("value", AROUND[around].format(f"{indent}c = {value}\n"))["f"]
    for x in (0.3, -1.2):
        assert np.isclose(f(x, 2), by_value(x, 2))
        assert np.isclose(g(x, 2), by_differences(f, x, 2), atol=1e-8)


ACTIVE = {
    "factor": "def f(x):\n    return x * eval('x')\n",
    "argument": "def f(x):\n    y = [x, 2.0]\n    return x * len(json.dumps(y))\n",
    "made_before": "def f(x):\n    y = {'a': x}\n    return json.loads(json.dumps(y))['a'] * x\n",
    "in_a_callee": "def g(a):\n    return a * float(json.dumps(a))\n\n\ndef f(x):\n    return g(2.0 * x)\n",
    "attribute": "def f(x):\n    BOX2 = Box()\n    BOX2.held = x\n    return x * float(json.dumps(vars(BOX2))[9:12])\n",
    "local_by_name": "def f(x):\n    n = x * 2.0\n    return x * eval('n')\n",
    "all_locals": "def f(x):\n    n = x * 2.0\n    return x * len(locals())\n",
    "stored_then_read": "def f(x):\n    y = [1.0]\n    y.append(x)\n    return x * float(json.dumps(y)[1:4])\n",
}


@pytest.mark.parametrize("what", ACTIVE)
def test_what_depends_on_inputs_is_refused(what: str) -> None:
    f = made(f"active {what}", ACTIVE[what])["f"]
    with pytest.raises(sg.SourcegradError) as refused:
        sg.grad(f)(0.5)
    assert not isinstance(refused.value, sg.InternalError) and refused.value.origin is not None
    assert refused.value.origin.file == f"<executed active {what}>"


LOST = {
    "a file": "def f(x):\n    json.dump(x, open(PATH, 'w'))\n    return json.load(open(PATH)) * x\n",
    "a queue": "def f(x):\n    q = eval('queue.Queue')()\n    q.put(x)\n    return q.get() * x\n",
    "text": "def f(x):\n    s = str(x)\n    return float(json.loads(s)) * x\n",
    "text of a callee": "def told(v):\n    return f'{v}'\n\n\ndef f(x):\n    s = told(x)\n    return json.loads(s) * x\n",
    "an exception": "def f(x):\n    try:\n        raise ValueError(x)\n    except ValueError as error:\n"
                    "        return json.loads(json.dumps(error.args[0])) * x\n",
    "a class": "def f(x):\n    d = collections.OrderedDict()\n    return x * (2.0 if type(d) is dict else 1.0)\n",
    "rows": "def f(x):\n    rows = [[0.0] * 2] * 3\n    rows[0][1] = x\n    rows.sort()\n    return rows[1][1] * x\n",
    "an object": "def f(x):\n    b = eval('Box')()\n    b.held = x\n    return eval('vars')(b)['held'] * x\n",
    "an array by view": "def f(x):\n    a = np.zeros(3)\n    v = eval('memoryview')(a)\n    a[0] = x\n    return v[0] * x\n",
}


@pytest.mark.parametrize("what", LOST)
def test_no_derivative_is_lost(what: str, tmp_path: Any) -> None:
    """Right or refused."""
    module = made(f"lost {what}", LOST[what])
    module.update(collections=collections, queue=queue, PATH=str(tmp_path / "kept.json"))
    try:
        found = sg.grad(module["f"])(0.5)
    except sg.SourcegradError as refused:
        assert not isinstance(refused, sg.InternalError)
    else:
        assert np.isclose(found, by_differences(module["f"], 0.5))


CHANGES = {
    "list": "def f(x):\n    log = []\n    eval('list.append')(log, 1.0)\n    return x * len(log)\n",
    "outside": "SEEN = []\n\n\ndef f(x):\n    n = eval('SEEN.append')(1.0)\n    return x * (2.0 if n is None else 1.0)\n",
    "iterator": "def f(x):\n    it = iter([1.0, 2.0])\n    return x * json.loads(str(next(it))) * json.loads(str(next(it)))\n",
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_something(what: str) -> None:
    """Right or refused, and what is outside is as it was."""
    module = made(f"changes {what}", CHANGES[what])
    try:
        found = sg.grad(module["f"])(0.5)
    except sg.SourcegradError as refused:
        assert not isinstance(refused, sg.InternalError) and refused.origin is not None
    else:
        assert np.isclose(found, by_differences(module["f"], 0.5))
    assert module.get("SEEN", []) == []


def test_another_kind() -> None:
    """The value is asked for its kind each time: other code is generated where it is another one."""
    module = made("kinds", "HELD = [2.0]\n\n\ndef f(x):\n    c = eval('HELD[0]')\n    return np.sum(x * X * c)\n")
    f, g = module["f"], sg.grad(module["f"])
    for held in (2.0, 3.0, np.array([1.0, 2.0, 4.0]), 5, np.float32(2.0), np.ones((2, 3)), 4.0, np.array([2.0])):
        module["HELD"][0] = held
        for _ in range(3):
            assert np.isclose(g(0.5), by_differences(f, 0.5)), held


def test_outside_is_put_back() -> None:
    """The function runs once more when code is generated: what it changes outside meanwhile is as it was."""
    module = made("outside", "COUNTS = {'calls': 0}\n\n\ndef f(x, n):\n    if n > 5:\n        COUNTS['calls'] += 1\n"
                             "    return x * eval('2.0')\n")
    assert sg.grad(module["f"], "x")(0.5, 1) == 2.0
    assert module["COUNTS"] == {"calls": 0}


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    f = made("printing", "def f(x):\n    print('once')\n    return x * eval('2.0')\n")["f"]
    assert sg.grad(f)(0.5) == 2.0
    assert capsys.readouterr().out == "once\n"


def test_text() -> None:
    """The user's own expression stands in the text."""
    f = made("text", "def f(x, n):\n    rows = json.loads(TEXT)['w']\n    w = eval('OPTIONS')\n"
                     "    return x * rows[n] * w['rate']\n")["f"]
    g = sg.grad(f, "x")
    assert g(2.0, 1) == 1.25
    assert "    w = eval_value()\n" in g.source
    assert textwrap.dedent("""
        def eval_value():
            return eval('OPTIONS')
    """) in g.source


def test_export(tmp_path: Any) -> None:
    """A module of its own has the expression, too."""
    target = tmp_path / "exported.py"
    g = sg.grad(stands)
    g(2.0)
    g.export(target)
    space: dict[str, Any] = {"__name__": "exported"}
    exec(target.read_text(encoding="utf-8"), space)
    assert space["stands_grad"](3.0) == 6.0
    assert "return eval(" in target.read_text(encoding="utf-8")


def stands(x):
    return x * x * eval("1.0")


def test_a_date_of_today() -> None:
    def f(x):
        return x * datetime.date(2020, 3, 1).toordinal()

    assert sg.grad(f)(1.0) == 737485.0


def test_json_of_the_module() -> None:
    assert json.loads("[2.0]") == [2.0]
    assert sg.grad(lambda x: x * json.loads("[2.0]")[0])(3.0) == 2.0


RATE = 2.0


def unfollowed(x, y):
    exec("a = 1")
    return x * y


SHADOWED = {"lambda": lambda x: (lambda RATE: unfollowed(RATE, 3.0))(x),
            "named": lambda x: [g(x) for g in [lambda RATE: unfollowed(RATE, 3.0)]][0],
            "mapped": lambda x: list(map(lambda RATE: unfollowed(RATE, 3.0), [x]))[0]}


def inner_function(x):
    def inner(RATE):
        return unfollowed(RATE, 3.0)
    return inner(x)


@pytest.mark.parametrize("f", [*SHADOWED.values(), inner_function], ids=[*SHADOWED, "def"])
def test_a_parameter_of_an_inner_function_is_not_the_global_of_its_name(f: Any) -> None:
    with pytest.raises(sg.UnsupportedError, match="`exec` cannot be differentiated"):
        sg.grad(f)(1.3)


def test_what_inner_functions_read_of_the_module() -> None:
    assert sg.grad(lambda x: (lambda y: unfollowed(RATE, 3.0) * y)(x))(1.3) == 6.0


@pytest.mark.parametrize("calls,most", [(1, 9), (400, 1)])
def test_a_function_that_calls_much_is_observed_once(calls: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is cut off, it is not begun again for the other expressions of one call of the user's."""
    begun, of = [], observation.Profile.of

    def counted(profile: Any, function: Any, copied: Any) -> Any:
        return of(profile, function, lambda: (begun.append(1), copied())[1])

    monkeypatch.setattr(observation, "CALLS", 300)
    monkeypatch.setattr(observation.Profile, "of", counted)
    f = made(f"much {calls}", "def spent(n):\n    return 0 if n == 0 else spent(n - 1) + 1\n\n\n"
             f"def f(x):\n    t = spent({calls}) * 0.0\n    c = float(abs(eval('2.0'))) + 3.0 * eval('1.0')\n"
             "    return x * c + t\n")["f"]
    if calls == 1:
        assert sg.grad(f)(0.5) == pytest.approx(5.0)
    else:
        with pytest.raises(sg.UnsupportedError, match="`eval` cannot be differentiated"):
            sg.grad(f)(0.5)
    assert 1 <= len(begun) <= most
