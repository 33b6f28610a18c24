"""Making Tensors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_type, refuse_value
from sourcegrad.tensor.core import Tensor, as_array, check_differentiable, constant, get_default_dtype
from sourcegrad.tensor.operations import sizes_of


def finished(data: np.ndarray, requires_grad: bool, random: bool = False) -> Tensor:
    made = constant(data)
    made._frozen = made._frozen and random
    if requires_grad:
        check_differentiable(data)
        made._rg = True
    return made


def of_python(data: Any, dtype: Any) -> np.ndarray:
    """An array of its own; Python floats have the default dtype."""
    if isinstance(data, Tensor):
        found = np.array(data._data)
    elif isinstance(data, (np.ndarray, np.generic)):
        found = np.array(data)
    else:
        parts = _plain(data)
        try:
            found = np.array(parts)
        except ValueError as error:
            found = refuse_value(f"a Tensor cannot be made of this: {error}")
        if found.dtype == object:
            refuse(f"Could not infer dtype of {type(data).__name__}")
        if found.dtype == np.float64 and not _holds_arrays(data):
            found = found.astype(get_default_dtype())
        elif found.dtype == np.complex128 and get_default_dtype() == np.float32:
            found = found.astype(np.complex64)
    if found.dtype.kind not in "biufc":
        refuse_type(f"a Tensor holds numbers, not {found.dtype}")
    return found if dtype is None else found.astype(dtype)


def _plain(data: Any) -> Any:
    if isinstance(data, (list, tuple)):
        return [_plain(part) for part in data]
    return as_array(data) if isinstance(data, Tensor) else data


def _holds_arrays(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and any(
        isinstance(part, (np.ndarray, np.generic, Tensor)) or _holds_arrays(part) for part in data
    )


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A Tensor with a copy of the data: numbers, nested lists, arrays.

    >>> import sourcegrad as sg
    >>> sg.tensor([1.0, 2.5])
    tensor([1.0000, 2.5000])
    """
    return finished(of_python(data, dtype), requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The data as a Tensor, without a copy where it is a Tensor or an array of the dtype."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)  # type: ignore[attr-defined]
    if isinstance(data, np.ndarray):
        return constant(data if dtype is None else np.asarray(data, dtype))
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A Tensor that shares the memory of an array."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufc":
        refuse_type(f"expected np.ndarray of numbers (got {getattr(array, 'dtype', type(array).__name__)})")
    return constant(array)


def floating(dtype: Any) -> Any:
    return get_default_dtype() if dtype is None else dtype


def _filled(name: str, fill: Any) -> Any:
    def function(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **options: Any) -> Tensor:
        return finished(fill(_sizes(size, options), floating(dtype)), requires_grad)

    function.__name__ = function.__qualname__ = name
    return function


zeros, ones, empty = (_filled(name, fill) for name, fill in (("zeros", np.zeros), ("ones", np.ones), ("empty", np.zeros)))
UNUSED = {"layout", "pin_memory", "memory_format", "names"}  # options of PyTorch that change nothing here


def _sizes(size: tuple, options: dict) -> tuple:
    """The shape that is meant, as numbers, one sequence or `size=`."""
    if "size" in options:
        size = (*size, options.pop("size"))
    unused(options)
    found = sizes_of(size)
    if any(n < 0 for n in found):
        refuse(f"Trying to create tensor with negative dimension {min(found)}: {list(found)}")
    return found


def unused(options: dict) -> None:
    for name in options:
        if name not in UNUSED:
            refuse_type(f"got an unexpected keyword argument {name!r}")


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return finished(
        np.full(_sizes((size,), {}), fill_value,
                dtype or (get_default_dtype() if isinstance(fill_value, float) else None)),
        requires_grad,
    )


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return finished(np.eye(*_sizes((n, n if m is None else m), {}), dtype=floating(dtype)), requires_grad)


def arange(*bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **options: Any) -> Tensor:
    """Numbers from start (0) to before end, by step."""
    if options:
        names = ("end",) if len(bounds) == 1 and "end" not in options else ("start", "end", "step")
        usual = {"start": 0, "end": None, "step": 1, **dict(zip(names, bounds))}
        bounds = tuple(options.pop(name, default) for name, default in usual.items())
        unused(options)
    if dtype is None and any(isinstance(as_array(b), (float, np.floating)) for b in bounds):
        dtype = get_default_dtype()
    numbers = [as_array(b) for b in bounds]
    start, end, step = (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1)[:3] if numbers else (None, None, None)
    if start is None or end is None or len(numbers) > 3:
        refuse_type("arange() takes an end, or start, end and step")
    if step == 0 or (end - start) * step < 0:
        refuse(f"arange: step must be nonzero, and upper bound and lower bound consistent with its sign: {start}, {end}, {step}")
    return finished(np.arange(start, end, step, dtype=dtype), requires_grad)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return finished(np.linspace(float(start), float(end), _sizes((steps,), {})[0], dtype=floating(dtype)), requires_grad)


def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    return finished(np.logspace(float(start), float(end), _sizes((steps,), {})[0], base=base, dtype=floating(dtype)), requires_grad)


# --- random numbers

class Generator:
    """A source of random numbers with a seed."""

    def __init__(self, device: Any = None) -> None:
        self.generator = np.random.default_rng()

    def manual_seed(self, seed: int) -> Generator:
        if not isinstance(seed, (int, np.integer)):
            refuse_value(f"the seed of a generator is an int, not {seed!r}")
        self.generator = np.random.default_rng(seed)
        self.seed = seed
        return self

    def initial_seed(self) -> int:
        return getattr(self, "seed", 0)


GENERATOR = Generator()
_lock = threading.Lock()


def manual_seed(seed: int) -> Generator:
    """Start the global source of random numbers at a seed."""
    return GENERATOR.manual_seed(seed)


def _numbers(generator: Any) -> np.random.Generator:
    return (generator or GENERATOR).generator


def _drawn(name: str, draw: Any, doc: str) -> Any:
    def function(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Any = None,
                 **options: Any) -> Tensor:
        with _lock:
            numbers = np.asarray(draw(_numbers(generator), _sizes(size, options)))
            return finished(numbers.astype(floating(dtype)), requires_grad, True)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


rand = _drawn("rand", lambda numbers, size: numbers.random(size), "Uniform in [0, 1).")
randn = _drawn("randn", lambda numbers, size: numbers.standard_normal(size), "Normal with mean 0 and variance 1.")


def randint(*args: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Any = None,
            **options: Any) -> Tensor:
    """Integers in [low, high): randint(high, size) or randint(low, high, size), by position or by name."""
    named = {name: options.pop(name) for name in ("low", "high", "size") if name in options}
    unused(options)
    names: tuple[str, ...] = ("high", "size") if len(args) + len(named) == 2 and "low" not in named else ("low", "high", "size")
    given: dict[str, Any] = {"low": 0}
    given.update(zip(names, args), **named)
    if len(args) > len(names) or set(names[: len(args)]) & named.keys() or len(given) < 3 or isinstance(given["size"], int):
        refuse_type("randint() takes (high, size) or (low, high, size), where size is a tuple of ints")
    low, high = (int(as_array(given[name])) for name in ("low", "high"))
    if low >= high:
        refuse(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    with _lock:
        numbers = np.asarray(_numbers(generator).integers(low, high, size=_sizes((given["size"],), {})))
        return finished(numbers.astype(dtype or np.int64), requires_grad, True)


def randperm(n: int, *, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    with _lock:
        return constant(_numbers(generator).permutation(*_sizes((n,), {})).astype(dtype or np.int64))


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None) -> Tensor:
    """Normal numbers with means and deviations that are numbers (with a size) or Tensors."""
    if np.any(as_array(std) < 0):
        refuse("normal expects all elements of std >= 0.0")
    shape = None if size is None else _sizes((size,), {})
    with _lock:
        numbers = np.asarray(_numbers(generator).normal(as_array(mean), as_array(std), shape))
    return constant(numbers if isinstance(mean, Tensor) or isinstance(std, Tensor) else numbers.astype(get_default_dtype()))


def bernoulli(probabilities: Tensor, *, generator: Any = None) -> Tensor:
    p = probabilities._data
    if np.any((p < 0) | (p > 1)):
        refuse("Expected p_in >= 0 && p_in <= 1 to be true")
    with _lock:
        return constant((_numbers(generator).random(p.shape) < p).astype(p.dtype))


def multinomial(weights: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    rows = np.atleast_2d(weights._data)
    if num_samples <= 0 or not replacement and num_samples > rows.shape[1]:
        refuse(f"cannot sample {num_samples} of {rows.shape[1]} without replacement")
    if np.any(rows < 0) or not np.all(np.isfinite(rows)) or np.any(rows.sum(1) <= 0):
        refuse("probability tensor contains either `inf`, `nan` or element < 0, or a sum of probabilities that is not positive")
    with _lock:
        found = np.stack([_numbers(generator).choice(rows.shape[1], num_samples, replacement, row / row.sum()) for row in rows])
    return constant(found if weights._data.ndim == 2 else found[0])


class _Variable(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor)


class Variable(metaclass=_Variable):
    """The old name of Tensor: Variable(x, requires_grad=True) is a leaf that shares memory with x."""

    def __new__(cls, data: Any = None, requires_grad: bool = False) -> Any:
        if data is None:
            return empty(0, requires_grad=requires_grad)
        if not isinstance(data, Tensor):
            refuse_type(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)


def of_shape(x: Any) -> np.ndarray:
    if not isinstance(x, Tensor):
        refuse_type(f"argument 'input' must be Tensor, not {type(x).__name__}")
    return x._data


def _like(make: Any) -> Any:
    def function(x: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, **options: Any) -> Tensor:
        unused(options)
        return make(of_shape(x).shape, dtype=dtype or x._data.dtype, requires_grad=requires_grad)

    function.__name__ = f"{make.__name__}_like"
    return function


zeros_like, ones_like, empty_like, rand_like, randn_like = map(_like, (zeros, ones, empty, rand, randn))


def full_like(x: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    return finished(np.full(of_shape(x).shape, fill_value, dtype or x._data.dtype), requires_grad)


def meshgrid(*tensors: Any, indexing: Any = "ij") -> tuple:
    if indexing not in ("ij", "xy"):
        refuse(f"torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {indexing}".removeprefix("torch."))
    parts = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if any(part._rg for part in parts):
        refuse("meshgrid of Tensors that require a gradient", "Use x[:, None].expand(n, m).")
    return tuple(constant(grid) for grid in np.meshgrid(*[part._data for part in parts], indexing=indexing))


CREATION = {
    f.__name__: f
    for f in (tensor, as_tensor, from_numpy, zeros, ones, empty, full, eye, arange, linspace, logspace, manual_seed, rand, randn,
              randint, randperm, normal, bernoulli, multinomial, zeros_like, ones_like, empty_like, rand_like, randn_like,
              full_like, meshgrid)
}
