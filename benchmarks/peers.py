"""Other frameworks on the same pairs, each used only where it can be imported.

A peer makes candidates; whatever goes wrong on the way is the caller's to catch and to report as text.
"""
import importlib
import math
import signal
import time
import types
import warnings
from contextlib import contextmanager

import numpy as np

from .cases import Candidate, copies, flat, in_place
from .timing import SETTLE, block_time

SETUP_LIMIT = 60.0      # seconds for generation or compilation and the first call


class ScalarMath:
    """`math` for a peer: plain numbers stay with the real one, anything else goes to the peer's namespace."""

    def __init__(self, xp):
        self.xp = xp

    def __getattr__(self, name):
        plain = getattr(math, name)
        if not callable(plain):
            return plain
        traced = getattr(self.xp, name, None)
        function = lambda x: plain(x) if isinstance(x, (int, float)) else traced(x)     # noqa: E731
        setattr(self, name, function)
        return function


def in_namespace(function, xp):
    """The function, and those of its module that it calls, with `np` and `math` replaced."""
    home = function.__globals__
    there = dict(home)
    for name, thing in home.items():
        if thing is np:
            there[name] = xp
        elif thing is math:
            there[name] = ScalarMath(xp)
        elif isinstance(thing, types.FunctionType) and thing.__globals__ is home:
            there[name] = types.FunctionType(thing.__code__, there, name, thing.__defaults__)
    return there[function.__name__]


class Peer:
    module = name = None

    def __init__(self):
        self.framework = importlib.import_module(self.module)

    def primal(self, pair, xp):
        """The form of the primal that is meant for this peer."""
        special = f"{self.name}_primal"
        if hasattr(pair, special):
            function = getattr(pair, special)
            if function is None:
                raise NotImplementedError("the pair has no form for this peer")
            return lambda *args: function(self.framework, *args)
        if hasattr(pair, "primal_in"):
            return lambda *args: pair.primal_in(xp, *args)
        return in_namespace(pair.primal, xp)

    def candidate(self, case):
        function, args = getattr(self, case.order)(case)
        return Candidate(self.name, function, copies(args), self.arrays)

    def arrays(self, result):
        return flat(result)


class Autograd(Peer):
    """HIPS autograd: operator overloading on numpy."""
    name, module = "autograd", "autograd"

    def __init__(self):
        super().__init__()
        self.xp = importlib.import_module("autograd.numpy")

    def gradient(self, case):
        primal = self.primal(case.pair, self.xp)
        value_and_gradient = self.framework.value_and_grad(primal, case.positions)
        return value_and_gradient, case.args

    def hvp(self, case):
        gradient = self.framework.grad(self.primal(case.pair, self.xp))
        slope = lambda x, direction, *rest: self.xp.dot(gradient(x, *rest), direction)      # noqa: E731
        return self.framework.grad(slope), case.order_args

    def hessian(self, case):
        return self.framework.hessian(self.primal(case.pair, self.xp)), case.order_args


class TorchNumpy:
    """The numpy names that mean something else, or are missing, in torch; the rest is torch's own."""

    def __init__(self, torch):
        self.torch = torch
        self.max, self.concatenate = torch.amax, torch.cat

    def __getattr__(self, name):
        return getattr(self.torch, name)

    def maximum(self, x, y):
        return self.torch.clamp(x, min=y) if isinstance(y, float) else self.torch.maximum(x, y)

    def logaddexp(self, x, y):
        return self.torch.logaddexp(self.torch.as_tensor(x, dtype=y.dtype), y)


class Torch(Peer):
    """PyTorch, eager, on the CPU."""
    name, module = "torch", "torch"

    def __init__(self):
        super().__init__()
        self.framework.set_default_dtype(self.framework.float64)
        self.threads = self.framework.get_num_threads()
        self.xp = TorchNumpy(self.framework)

    def candidate(self, case):
        """On one thread where that is faster: on small arrays its threads mostly wait for each other."""
        candidate = super().candidate(case)
        function, threads, set_threads = candidate.function, self.threads, self.framework.set_num_threads

        def on_one_thread(*args):
            set_threads(1)
            try:
                return function(*args)
            finally:
                set_threads(threads)

        function(*candidate.args)                           # warm, and whoever ran before comes to rest
        time.sleep(SETTLE)
        if fastest(on_one_thread, candidate.args) < 0.8 * fastest(function, candidate.args):
            candidate.function = on_one_thread
        return candidate

    def prepared(self, case):
        """The primal and its arguments as tensors; those to differentiate are leaves."""
        torch, primal = self.framework, self.primal(case.pair, self.xp)
        if in_place(case.pair) and not hasattr(case.pair, "primal_in"):
            written = primal
            primal = lambda *args: written(*(a.clone() if torch.is_tensor(a) else a for a in args))     # noqa: E731
        args = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in case.args]
        for position in case.positions:
            args[position] = torch.as_tensor(args[position], dtype=torch.float64).requires_grad_()
        return primal, args

    def gradient(self, case):
        primal, args = self.prepared(case)
        leaves = [args[position] for position in case.positions]

        def value_and_gradient(*args):
            value = primal(*args)
            return value, *self.framework.autograd.grad(value, leaves)

        return value_and_gradient, tuple(args)

    def hvp(self, case):
        primal, args = self.prepared(case)
        grad = self.framework.autograd.grad

        def product(x, direction, *rest):
            gradient, = grad(primal(x, *rest), x, create_graph=True)
            return grad(gradient, x, direction)[0]

        return product, (args[0], self.framework.tensor(case.direction), *args[1:])

    def hessian(self, case):
        primal, args = self.prepared(case)
        hessian = self.framework.autograd.functional.hessian
        return lambda x, *rest: hessian(lambda x: primal(x, *rest), x), tuple(args)

    def arrays(self, result):
        if isinstance(result, tuple):
            return [part.detach().numpy() for part in result]
        return [result.detach().numpy()]


class Jax(Peer):
    """JAX, compiled, in double precision; numbers and lists that are not differentiated are constants."""
    name, module = "jax", "jax"

    def __init__(self):
        super().__init__()
        self.framework.config.update("jax_enable_x64", True)
        self.xp = importlib.import_module("jax.numpy")

    def traced(self, case):
        """The primal as a function of its arrays and inputs alone, these arguments, and which are inputs."""
        primal = self.primal(case.pair, self.xp)
        active = case.positions
        moving = [i for i, a in enumerate(case.args) if isinstance(a, np.ndarray) or i in active]

        def function(*args):
            everything = list(case.args)
            for position, arg in zip(moving, args):
                everything[position] = arg
            return primal(*everything)

        args = tuple(self.xp.asarray(case.args[i], dtype="float64") for i in moving)
        return function, args, tuple(moving.index(i) for i in active)

    def compiled(self, function, args):
        run = self.framework.jit(function)
        wait = self.framework.block_until_ready
        return lambda *args: wait(run(*args)), args

    def gradient(self, case):
        function, args, active = self.traced(case)
        return self.compiled(self.framework.value_and_grad(function, active), args)

    def hvp(self, case):
        function, args, _ = self.traced(case)
        gradient = self.framework.grad(function)

        def product(x, direction, *rest):
            return self.framework.jvp(lambda x: gradient(x, *rest), (x,), (direction,))[1]

        return self.compiled(product, (args[0], self.xp.asarray(case.direction), *args[1:]))

    def hessian(self, case):
        function, args, _ = self.traced(case)
        return self.compiled(self.framework.hessian(function), args)


class Tangent(Peer):
    """Source transformation by tangent-ad, the maintained fork of Google's; it reads the primal as it is."""
    name, module = "tangent", "tangent"

    def gradient(self, case):
        gradient = self.framework.grad(case.pair.primal, wrt=case.positions, preserve_result=True)
        if in_place(case.pair):                             # it works on the caller's arrays
            return lambda *args: gradient(*copies(args)), case.args
        return gradient, case.args

    def hvp(self, case):
        raise NotImplementedError("no second derivatives are tried with this peer")

    hessian = hvp

    def arrays(self, result):
        *gradients, value = flat(result)
        return [value, *gradients]


PEERS = {peer.name: peer for peer in (Autograd, Torch, Jax, Tangent)}


def fastest(function, args, calls=3):
    return min(block_time(function, args, 1) for _ in range(calls))


def available(names):
    """Peers that can be imported, by name, and for the others why not."""
    peers, reasons = {}, {}
    for name in names:
        try:
            with quiet():
                peers[name] = PEERS[name]()
        except Exception as error:
            reasons[name] = failure(error)
    return peers, reasons


def failure(error):
    text = " ".join(str(error).split())
    return f"failed: {type(error).__name__}: {text[:200]}"


@contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def limited(seconds=SETUP_LIMIT, cpu=False):
    """Raise TimeoutError in the body after so many seconds (of the processor), where the system has a timer for it."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def expire(*_):
        raise TimeoutError(f"no gradient within {seconds:.0f} s")

    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if cpu else (signal.ITIMER_REAL, signal.SIGALRM)
    before = signal.signal(number, expire)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0.0)
        signal.signal(number, before)
