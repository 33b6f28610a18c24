"""What the function itself refuses is refused at the first calls, also where no adjoint needs the value that it cannot compute."""
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.shadow_run import alike

V3, V4, M, T = np.ones(3), np.ones(4), np.ones((3, 4)), np.ones((2, 3, 4))
WRONG = {
    "difference": (lambda x, y: np.sum(x - y), V3, V4),
    "sum of rows": (lambda x, y: np.sum(x + y), M, V3),
    "affine": (lambda x, w, b: np.sum(x @ w + b), np.ones((2, 3)), M, V3),
    "matmul": (lambda x, y: np.sum(x + np.sum(y @ y)), V3, M),
    "inner sizes": (lambda x, y: np.sum(x) + 0.0 * np.sum(y @ x[:2]), V3, M),
    "dot": (lambda x, y: np.sum(x) + 0.0 * np.dot(y, V3), V3, V4),
    "concatenate ranks": (lambda x, y: np.sum(np.concatenate([x, y])), V3, M),
    "concatenate sizes": (lambda x, y: np.sum(np.concatenate([x, y], axis=1)), M, np.ones((4, 4))),
    "stack": (lambda x, y: np.sum(np.stack([x, y])), V3, V4),
    "vstack": (lambda x, y: np.sum(np.vstack([x, y])), V3, V4),
    "reshape": (lambda x: np.sum(x.reshape(5)), V4),
    "reshape with two holes": (lambda x: np.sum(np.reshape(x, (-1, -1))), V4),
    "index": (lambda x: np.sum(x) + 0.0 * x[7], V3),
    "first index": (lambda x: x[7], V3),
    "negative index": (lambda x: np.sum(x) + x[-4] * 0.0, V3),
    "too many indices": (lambda x: np.sum(x) + np.sum(x[0, 0]), V3),
    "list of indices": (lambda x: np.sum(x[[0, 9]]), V3),
    "mask of another size": (lambda x, m: np.sum(x[m]), V3, np.ones(4, bool)),
    "take": (lambda x: np.sum(np.take(x, [0, 5])), V3),
    "axis": (lambda x: np.sum(np.sum(x, axis=2)), M),
    "mean axis": (lambda x: np.sum(np.mean(x, axis=-3)), M),
    "transpose": (lambda x: np.sum(np.transpose(x, (0, 0))), M),
    "swapaxes": (lambda x: np.sum(np.swapaxes(x, 0, 2)), M),
    "moveaxis": (lambda x: np.sum(np.moveaxis(x, 0, 5)), M),
    "expand_dims": (lambda x: np.sum(np.expand_dims(x, 4)), M),
    "squeeze": (lambda x: np.sum(np.squeeze(x, axis=0)), M),
    "broadcast_to": (lambda x: np.sum(np.broadcast_to(x, (4, 4))), V3),
    "split": (lambda x: np.sum(np.split(x, 2)[0]), V3),
    "roll": (lambda x: np.sum(np.roll(x, 1, axis=1)), V3),
    "trace": (lambda x: np.trace(x), V3),
    "einsum": (lambda x, y: np.sum(np.einsum("ij,jk->ik", x, y)), M, M),
    "tensordot": (lambda x, y: np.sum(np.tensordot(x, y, 1)), T, M),
    "where": (lambda x, y, c: np.sum(np.where(c, x, y)), V3, V4, np.array([True, False, True])),
    "maximum": (lambda x, y: np.sum(np.maximum(x, y) * 0.0), V3, V4),
    "inverse": (lambda x: np.sum(x) + 0.0 * np.sum(np.linalg.inv(x)), M),
    "solve": (lambda x, y: np.sum(x) + 0.0 * np.sum(np.linalg.solve(y, x)), V3, np.eye(4)),
    "cross": (lambda x, y: np.sum(np.cross(x, y)), V4, V4),
    "lookup": (lambda x, d: x * d["b"] * 0.0 + x, 2.0, {"a": 1.0}),
    "float of text": (lambda x, t: x + 0.0 * float(t), 2.0, "one"),
    "math": (lambda x, y: x + 0.0 * __import__("math").sqrt(y), 2.0, -1.0),
    "unused": (lambda x, y: (np.sum(x), y - x)[0], V3, V4),
    "in place": (lambda x, y: in_place(x, y), V3, V4),
    "in a loop": (lambda x, y: in_a_loop(x, y), V3, V4),
    "of a class": (lambda x, y: Shifted(y).of(x), V3, V4),
}


def in_place(x, y):
    out = np.zeros(3)
    out[:] = x
    out += y
    return np.sum(out)


def in_a_loop(x, y):
    total = 0.0
    for k in range(2):
        total = total + np.sum(x + k * y)
    return total


class Shifted:
    def __init__(self, by):
        self.by = by

    def of(self, x):
        return np.sum(x + self.by)


@pytest.mark.parametrize("name", WRONG)
def test_refused_as_by_the_function(name):
    function, *args = WRONG[name]
    with pytest.raises(Exception) as wanted:
        function(*args)
    for gradient in (sg.grad(function), sg.value_and_grad(function), lambda *a: sg.vjp(function, *a)[1](1.0)):
        for _ in range(2):
            with pytest.raises((type(wanted.value), sg.SourcegradError)) as found:
                gradient(*args)
            assert not isinstance(found.value, sg.InternalError)


def test_once_for_arguments_of_a_kind():
    calls = []
    from sourcegrad.api import shadow_run
    before = shadow_run._result
    shadow_run._result = lambda *args: calls.append(1) or before(*args)
    try:
        gradient = sg.grad(lambda x, y: np.sum(x * y))
        for _ in range(3):
            gradient(V3, V3)
        assert len(calls) == 1
        gradient(V3, 2.0)
        assert len(calls) == 2
    finally:
        shadow_run._result = before


def test_what_prints_is_not_run_twice(capsys):
    def f(x):
        print("once")
        return x * x
    assert sg.grad(f)(3.0) == 6.0
    assert capsys.readouterr().out == "once\n"


MISSING = object()


class Mark:
    pass


MARK = Mark()


def test_marks_stay_what_they_are():
    def f(x, y=MISSING, z=MARK):
        out = np.zeros(2)
        out[0] = x
        if y is MISSING:
            y = 2.0
        if z is MARK:
            z = 3.0
        return np.sum(out) * y * z
    assert sg.grad(f)(1.0) == 6.0


@pytest.mark.parametrize("found, wanted, same", [
    ("a", "a", True), ("a", "b", False), ("a", 1.0, False), (None, 1.0, False), (1.0, None, False), (None, None, True),
    (b"a", b"b", False), ("x=0.30000000000000004", "x=0.3", True), ("x=0.31", "x=0.3", False), ("n=3", "n=4", False),
    ("<f at 0x7f00>", "<f at 0x7fff>", True), (["a", "b"], ["a", "c"], False), ({"k": "a"}, {"k": "b"}, False),
    (np.array(["a", "b"]), np.array(["a", "b"]), True), (np.array(["a", "b"]), np.array(["a", "c"]), False),
    (np.array(["a"]), np.array(["a", "c"]), False), (np.array([1.0, None]), np.array([1.0, 2.0], object), False),
    (np.array([1.0, "a"], object), np.array([1.0, "a"], object), True), ((1.0, "a"), (1.0, "b"), False),
    (np.str_("a"), "a", True), (np.array([b"a"]), np.array([b"b"]), False)])
def test_texts_are_compared(found, wanted, same):
    assert alike(found, wanted) is same
