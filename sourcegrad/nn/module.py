"""Modules: layers with parameters, buffers and modules of their own, found by their names; containers of modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from sourcegrad.errors import GraphError, refuse, refuse_type
from sourcegrad.tensor.core import Tensor, as_array, constant, new
from sourcegrad.tensor.node import Handle, Hooks


class Parameter(Tensor):
    """A Tensor that is a parameter of the modules that hold it; it requires a gradient."""

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        made = new(cls, np.zeros(0) if data is None else as_array(data))
        made._rg = requires_grad
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        if isinstance(data, Tensor) and data.requires_grad and data.grad_fn is not None:
            refuse("a Parameter of a Tensor with history", "Use tensor.detach().")


class Loaded:
    """What `load_state_dict` found missing or in excess."""

    def __init__(self, missing: list[str], unexpected: list[str]) -> None:
        self.missing_keys, self.unexpected_keys = missing, unexpected

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"Loaded(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class ModuleTree:
    """The attributes of a Module that are Parameters, buffers and Modules, and those of the Modules in it, by their names."""

    def __init__(self) -> None:
        d = self.__dict__
        d["_parameters"], d["_buffers"], d["_modules"] = {}, {}, {}
        d["_transient"] = set()

    def __setattr__(self, name: str, value: Any) -> None:
        tables = self.__dict__
        if "_parameters" not in tables:
            if isinstance(value, (Parameter, Module)):
                raise AttributeError("cannot assign parameters or modules before Module.__init__() call")
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Parameter):
            self._forget(name)
            tables["_parameters"][name] = value
        elif isinstance(value, Module):
            self._forget(name)
            tables["_modules"][name] = value
        elif name in tables["_parameters"]:
            if value is not None:
                raise TypeError(f"cannot assign '{type(value).__name__}' as parameter '{name}' (nn.Parameter or None expected)")
            tables["_parameters"][name] = None
        elif name in tables["_modules"] and value is None:
            tables["_modules"][name] = None
        elif name in tables["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{type(value).__name__}' as buffer '{name}' (Tensor or None expected)")
            tables["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            self.__dict__[table].pop(name, None)
        self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(table, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[table]:
                del self.__dict__[table][name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._modules})

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        if param is not None and not isinstance(param, Parameter):
            refuse_type(f"cannot assign '{type(param).__name__}' object to parameter '{name}' (nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A Tensor that is part of the state, but no parameter."""
        if tensor is not None and not isinstance(tensor, Tensor):
            refuse_type(f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' (Tensor or None required)")
        if name in self.__dict__ or name in self._parameters or name in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        self._buffers[name] = tensor
        if not persistent:
            self._transient.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        if module is not None and not isinstance(module, Module):
            refuse_type(f"{type(module).__name__} is not a Module subclass")
        self._modules[name] = module

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

    def get_parameter(self, target: str) -> Tensor:
        path, _, name = target.rpartition(".")
        return self.get_submodule(path)._parameters[name]


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
        """Convert the floating parameters and buffers to a dtype; there is one device."""
        dtype = options.get("dtype", next((a for a in args if not isinstance(a, str)), None))
        if dtype is not None:
            for tensor in (*self.parameters(), *self.buffers()):
                if tensor._data.dtype.kind == "f":
                    tensor._data = tensor._data.astype(dtype)
                    if tensor.grad is not None:
                        tensor._grad = constant(tensor.grad._data.astype(dtype))
        return self

    def float(self) -> Module:
        return self.to(np.float32)

    def double(self) -> Module:
        return self.to(np.float64)

    def half(self) -> Module:
        return self.to(np.float16)

    def cpu(self) -> Module:
        return self

    # --- state

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> OrderedDict:
        """Parameters and buffers by name, without history; they share memory with the module."""
        found = OrderedDict() if destination is None else destination
        for name, value in (*self._parameters.items(), *((n, b) for n, b in self._buffers.items() if n not in self._transient)):
            if value is not None:
                found[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return found

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Loaded:
        """Copy values by name: Tensors, arrays, PyTorch's Tensors, or what `np.load` gives of an .npz file."""
        own = self.state_dict(keep_vars=True)
        given = {name: state_dict[name] for name in (state_dict.keys() if hasattr(state_dict, "keys") else state_dict.files)}
        missing = [name for name in own if name not in given]
        unexpected = [name for name in given if name not in own]
        problems = []
        if strict and unexpected:
            problems.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{name}"' for name in unexpected) + ".")
        if strict and missing:
            problems.append("Missing key(s) in state_dict: " + ", ".join(f'"{name}"' for name in missing) + ".")
        arrays = {name: plain(value) for name, value in given.items() if name in own}
        problems += [
            f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, the shape in current model is "
            f"{tuple(own[name]._data.shape)}."
            for name, value in arrays.items()
            if value.shape != own[name]._data.shape
        ]
        if problems:
            raise GraphError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems))
        for name, value in arrays.items():
            own[name]._data[...] = value
            own[name]._counter[0] += 1
        return Loaded(missing, unexpected)

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


def plain(value: Any) -> np.ndarray:
    """An array of a Tensor, an array, or a Tensor of PyTorch."""
    if isinstance(value, Tensor):
        return value._data
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.asarray(value)


class _Numbered(Module):
    """Modules or parameters by their numbers."""

    _table = "_modules"

    def __len__(self) -> int:
        return len(self.__dict__[self._table])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__dict__[self._table].values())

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __setitem__(self, index: int, value: Any) -> None:
        table = self.__dict__[self._table]
        table[list(table)[index]] = value

    def append(self, value: Any) -> Any:
        """Add one more, whose name is its number; gives itself."""
        self.add_module(str(len(self)), value)
        return self


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
        found = super().__getitem__(index)
        return type(self)(*found) if isinstance(index, slice) else found


class ModuleList(_Numbered):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return ModuleList(found) if isinstance(index, slice) else found

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        modules = list(self)
        modules.insert(index, module)
        self._modules.clear()
        self.extend(modules)


class ParameterList(_Numbered):
    """A list of parameters."""

    _table = "_parameters"

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        for value in values or ():
            self.append(value)

    def append(self, value: Any) -> ParameterList:
        self.register_parameter(str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self


class _Named(Module):
    """Modules or parameters by their keys."""

    _table = "_modules"

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[self._table][key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.add_module(key, value)

    def __delitem__(self, key: str) -> None:
        del self.__dict__[self._table][key]

    def __contains__(self, key: str) -> bool:
        return key in self.__dict__[self._table]

    def __len__(self) -> int:
        return len(self.__dict__[self._table])

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__[self._table])

    def keys(self) -> Any:
        return self.__dict__[self._table].keys()

    def values(self) -> Any:
        return self.__dict__[self._table].values()

    def items(self) -> Any:
        return self.__dict__[self._table].items()

    def update(self, values: Any) -> None:
        for key, value in values.items() if hasattr(values, "items") else values:
            self[key] = value


class ModuleDict(_Named):
    """A dict of modules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})


class ParameterDict(_Named):
    """A dict of parameters."""

    _table = "_parameters"

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, value if isinstance(value, Parameter) else Parameter(value))
