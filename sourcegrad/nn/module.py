"""Modules: layers with parameters, buffers and modules of their own, found by their names; containers of modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from sourcegrad.errors import refuse, refuse_type, refuse_value
from sourcegrad.tensor.core import Tensor, as_array, check_differentiable, constant, new
from sourcegrad.tensor.node import Handle, Hooks


class Parameter(Tensor):
    """A Tensor that is a parameter of the modules that hold it; it requires a gradient."""

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        if data is not None and not isinstance(data, (Tensor, np.ndarray)):
            raise AttributeError(f"a Parameter is made of a Tensor, not of a {type(data).__name__}: nn.Parameter(sg.tensor(...))")
        made = new(cls, np.zeros(0) if data is None else as_array(data))
        if requires_grad:
            check_differentiable(made._data)
        made._rg = requires_grad
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        if isinstance(data, Tensor) and data.requires_grad and data.grad_fn is not None:
            refuse("a Parameter of a Tensor with history", "Use tensor.detach().")


class Loaded(NamedTuple):
    """What `load_state_dict` found missing or in excess."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"Loaded(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


TABLES = ("_parameters", "_buffers", "_modules")
EXTRA = "_extra_state"
ANY = "biufc"  # kinds of all dtypes


class ModuleTree:
    """The attributes of a Module that are Parameters, buffers and Modules, and those of the Modules in it, by their names."""

    def __init__(self) -> None:
        self.__dict__.update({table: {} for table in TABLES}, _transient=set())

    def __setattr__(self, name: str, value: Any) -> None:
        tables = self.__dict__
        if "_parameters" not in tables:
            if isinstance(value, (Parameter, Module)):
                raise AttributeError("cannot assign parameters or modules before Module.__init__() call")
            object.__setattr__(self, name, value)
            return
        for table, cls, what in (("_parameters", Parameter, "parameter"), ("_modules", Module, "child module")):
            if isinstance(value, cls):
                if name not in tables[table]:
                    self._forget(name)
                tables[table][name] = value
                return
            if name in tables[table]:
                if value is not None:
                    raise TypeError(f"cannot assign '{type(value).__name__}' as {what} '{name}' ({cls.__name__} or None expected)")
                tables[table][name] = None
                return
        if name in tables["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{type(value).__name__}' as buffer '{name}' (Tensor or None expected)")
            tables["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str) -> None:
        for table in TABLES:
            self.__dict__[table].pop(name, None)
        self.__dict__.pop(name, None)
        self._transient.discard(name)

    def __getattr__(self, name: str) -> Any:
        for table in TABLES:
            found = self.__dict__.get(table, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if any(name in self.__dict__[table] for table in TABLES):
            self._forget(name)
        else:
            object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._modules})

    def _register(self, table: str, name: Any, value: Any, cls: type, what: str) -> None:
        """Enter a value under a name that is none of something else."""
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            refuse_type(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name or name == "":
            raise KeyError(f"{what} name can't be empty or contain '.', got: {name!r}")
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"attribute '{name}' already exists")
        if value is not None and not isinstance(value, cls):
            refuse_type(f"cannot assign '{type(value).__name__}' object to {what} '{name}' ({cls.__name__} or None required)")
        self.__dict__[table][name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._register("_parameters", name, param, Parameter, "parameter")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A Tensor that is no parameter; one that is persistent is part of the state."""
        self._register("_buffers", name, tensor, Tensor, "buffer")
        (self._transient.discard if persistent else self._transient.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        self._register("_modules", name, module, Module, "module")

    register_module = add_module

    def named_modules(self, memo: set | None = None, prefix: str = "") -> Iterator[tuple[str, Module]]:
        memo = set() if memo is None else memo
        if self in memo:
            return
        memo.add(self)
        yield prefix, self  # type: ignore[misc]
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        for _, module in self.named_children():
            yield module

    def _named(self, table: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        for name, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for own, value in module.__dict__[table].items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{name}.{own}" if name else own), value

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        module: Any = self
        for name in target.split(".") if target else ():
            if name not in module._modules:
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = module._modules[name]
        return module

    def _get(self, target: str, table: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module.__dict__[table]:
            raise AttributeError(f"{type(module).__name__} has no {what} `{name}`")
        return module.__dict__[table][name]

    def get_parameter(self, target: str) -> Parameter:
        return self._get(target, "_parameters", "parameter")

    def get_buffer(self, target: str) -> Tensor:
        return self._get(target, "_buffers", "buffer")


class Module(ModuleTree):
    """Base of all layers: attributes that are Parameters, Tensors registered as buffers, and Modules are found by their names.

    >>> import sourcegrad as sg
    >>> class Scale(sg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = sg.nn.Parameter(sg.tensor(2.0))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Scale()(sg.tensor(3.0))
    tensor(6., grad_fn=<MulBackward0>)
    """

    training: bool

    def __init__(self) -> None:
        super().__init__()
        d = self.__dict__
        d["training"] = True
        d["_forward_hooks"], d["_forward_pre_hooks"] = Hooks(), Hooks()

    def forward(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **options: Any) -> Any:
        for hook in self._forward_pre_hooks.values():
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        found = self.forward(*args, **options)
        for hook in self._forward_hooks.values():
            changed = hook(self, args, found)
            if changed is not None:
                found = changed
        return found

    def register_forward_hook(self, hook: Callable) -> Handle:
        """hook(module, args, output) runs after `forward`; what it returns replaces the output."""
        return self._forward_hooks.add(hook)

    def register_forward_pre_hook(self, hook: Callable) -> Handle:
        return self._forward_pre_hooks.add(hook)

    # --- what is done with it

    def apply(self, fn: Callable[[Module], Any]) -> Module:
        """Call fn on each module in it, this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Module:
        if not isinstance(mode, bool):
            refuse_value("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Module:
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else constant(np.zeros_like(parameter._data))

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def to(self, *args: Any, **options: Any) -> Module:
        """Convert the floating and complex parameters and buffers to a dtype, or that of a Tensor; there is one device."""
        dtypes = [options["dtype"]] if options.get("dtype") is not None else []
        for given in args:
            if isinstance(given, str) and given.split(":")[0] != "cpu":
                refuse(f"there is no device {given!r}: sourcegrad computes with NumPy, on the CPU")
            if type(given) is int:
                refuse(f"there is no device {given}: sourcegrad computes with NumPy, on the CPU")
            if given is not None and not isinstance(given, (str, bool)):
                dtypes.append(given.dtype if isinstance(given, Tensor) else given)
        if len(dtypes) > 1:
            refuse_type("to() takes one dtype")
        return self._convert(dtypes[0], "fc") if dtypes else self

    def _convert(self, dtype: Any, kinds: str) -> Module:
        dtype = np.dtype(dtype)
        if dtype.kind not in "fc" and kinds != ANY:
            refuse_type(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
        for tensor in (*self.parameters(), *self.buffers()):
            for each in (tensor, tensor._grad):
                if each is not None and each._data.dtype.kind in kinds:
                    each._data = each._data.astype(dtype)
        return self

    def type(self, dst_type: Any) -> Module:
        """Convert all parameters and buffers to a dtype."""
        return self._convert(dst_type, ANY)

    def float(self) -> Module:
        return self._convert(np.float32, "f")

    def double(self) -> Module:
        return self._convert(np.float64, "f")

    def half(self) -> Module:
        return self._convert(np.float16, "f")

    def cpu(self) -> Module:
        return self

    # --- state

    def get_extra_state(self) -> Any:
        """What a subclass has in its state besides parameters and buffers; `set_extra_state` gets it back."""
        refuse(f"{type(self).__name__} has no extra state")

    def set_extra_state(self, state: Any) -> None:
        refuse(f"{type(self).__name__} has no extra state")

    def _entries(self) -> dict[str, Tensor]:
        """Parameters and buffers of its own that are part of the state."""
        names = (*self._parameters, *(name for name in self._buffers if name not in self._transient))
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> OrderedDict:
        """Parameters and buffers by name, without history; they share memory with the module."""
        found = OrderedDict() if destination is None else destination
        for name, value in self._entries().items():
            found[prefix + name] = value if keep_vars else value.detach()
        if type(self).get_extra_state is not Module.get_extra_state:
            found[prefix + EXTRA] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Loaded:
        """Copy values by name: Tensors, arrays, PyTorch's Tensors, or what `np.load` gives of an .npz file.

        assign: the Tensors themselves become parameters and buffers.
        """
        if not isinstance(state_dict, Mapping) and not hasattr(state_dict, "files"):
            refuse_type(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        given = {name: state_dict[name] for name in state_dict}
        wanted, problems = set(), []
        todo: list[tuple[Module, str, Any, Any]] = []
        for prefix, module in self._everywhere(""):
            for name, own in module._entries().items():
                key = prefix + name
                wanted.add(key)
                if key in given:
                    value = plain(given[key])
                    if value is None:
                        problems.append(f'While copying the parameter named "{key}", expected a Tensor from checkpoint but got '
                                        f"{type(given[key])}")
                        continue
                    value = value[0] if own._data.ndim == 0 and value.shape == (1,) else value
                    if value.shape != own._data.shape:
                        problems.append(f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                                        f"the shape in current model is {tuple(own._data.shape)}.")
                    todo.append((module, name, own, value))
            if type(module).set_extra_state is not Module.set_extra_state:
                wanted.add(prefix + EXTRA)
                if prefix + EXTRA in given:
                    todo.append((module, EXTRA, None, given[prefix + EXTRA]))
        missing, unexpected = sorted(wanted - given.keys()), [key for key in given if key not in wanted]
        for what, keys in (("Missing", missing), ("Unexpected", unexpected)):
            if strict and keys:
                problems.insert(0, f"{what} key(s) in state_dict: " + ", ".join(f'"{key}"' for key in keys) + ". ")
        if problems:
            refuse(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems))
        for module, name, own, value in todo:
            if own is None:
                module.set_extra_state(value)
            elif assign:
                made = constant(value)
                setattr(module, name, Parameter(made, own._rg) if isinstance(own, Parameter) else made)
            else:
                own._data[...] = value
                own._counter[0] += 1
        return Loaded(missing, unexpected)

    def _everywhere(self, prefix: str) -> Iterator[tuple[str, Module]]:
        """All modules with their prefixes; one that is there twice comes twice."""
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module._everywhere(f"{prefix}{name}.")

    # --- text

    def extra_repr(self) -> str:
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        inner = "".join(f"\n  {line}" for line in ([extra] if extra else []) + lines)
        return f"{type(self).__name__}({inner}\n)"


def plain(value: Any) -> np.ndarray | None:
    """An array of a Tensor, an array, or a Tensor of PyTorch; None of anything else."""
    if isinstance(value, Tensor):
        return value._data
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return value if isinstance(value, np.ndarray) else np.asarray(value) if isinstance(value, np.generic) else None


class _Holder(Module):
    """Modules or parameters by their numbers or keys."""

    _table = "_modules"

    @property
    def _held(self) -> dict[str, Any]:
        return self.__dict__[self._table]

    def __len__(self) -> int:
        return len(self._held)

    def _enter(self, name: str, value: Any) -> None:
        self.add_module(name, value)


class _Parameters(_Holder):
    _table = "_parameters"

    def _enter(self, name: str, value: Any) -> None:
        if not isinstance(value, (Tensor, np.ndarray)):
            raise AttributeError(f"a list or dict of parameters holds Tensors, not a {type(value).__name__}")
        self.register_parameter(name, value if isinstance(value, Parameter) else Parameter(value))


class _Numbered(_Holder):
    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held.values())

    def __getitem__(self, index: Any) -> Any:
        found = list(self)[index]
        return type(self)(found) if isinstance(index, slice) else found

    def __setitem__(self, index: int, value: Any) -> None:
        self._enter(list(self._held)[index], value)

    def __delitem__(self, index: Any) -> None:
        left = list(self)
        del left[index]
        self._renew(left)

    def _renew(self, values: Iterable[Any]) -> None:
        self._held.clear()
        self.extend(values)

    def append(self, value: Any) -> Any:
        """Add one more, whose name is its number; gives itself."""
        self._enter(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> Any:
        for value in values:
            self.append(value)
        return self

    def insert(self, index: int, value: Any) -> None:
        values = list(self)
        values.insert(index, value)
        self._renew(values)


class Sequential(_Numbered):
    """Modules one after the other; an ordered dict names them."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], dict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, x: Any) -> Any:
        for module in self:
            x = module(x)
        return x

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._held.items())[index]))
        return super().__getitem__(index)


class ModuleList(_Numbered):
    """A list of modules."""


class ParameterList(_Numbered, _Parameters):
    """A list of parameters."""


class _Named(_Holder):
    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self.update(values or {})

    def __getitem__(self, key: str) -> Any:
        return self._held[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._enter(key, value)

    def __delitem__(self, key: str) -> None:
        del self._held[key]

    def __contains__(self, key: str) -> bool:
        return key in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def keys(self) -> Any:
        return self._held.keys()

    def values(self) -> Any:
        return self._held.values()

    def items(self) -> Any:
        return self._held.items()

    def update(self, values: Any) -> None:
        for key, value in values.items() if hasattr(values, "items") else values:
            self[key] = value


class ModuleDict(_Named):
    """A dict of modules."""


class ParameterDict(_Named, _Parameters):
    """A dict of parameters."""
