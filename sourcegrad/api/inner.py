"""Gradients of functions that are made inside a function that is differentiated: what they capture comes first.

`sg.grad(lambda y: loss(y, x))` there is a closure over what the inner function captures; a call of it is one of the gradient of the
lifted function, which the outer derivative goes through as through any generated code.
"""
from __future__ import annotations

from typing import Any

from sourcegrad import kinds as k
from sourcegrad.analysis.call_targets import Vectorized
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import Scope
from sourcegrad.ir.unit import Function


class Generated:
    """What is called with all arguments: it is generated for their kinds."""

    __sourcegrad_callable__ = True
    __name__ = "generated"

    def __init__(self, inner: Inner) -> None:
        self.generated_for = inner.generated_for


class Inner(Vectorized):
    """`grad(function, inputs)`, where the first `captured` arguments belong to the function itself."""

    def __init__(self, function: Any, captured: int, with_value: bool, inputs: Any = None) -> None:
        super().__init__(function, captured)
        self.inputs, self.with_value = inputs, with_value
        self.made: dict[tuple, Function] = {}
        self.__name__ = f"inner_{'value_and_grad' if with_value else 'grad'}"

    def __hash__(self) -> int:
        return id(self)

    def of(self, count: int) -> Function:                                                              # type: ignore[override]
        """The function of so many arguments, which calls what is generated for their kinds."""
        names = [f"c{j}" if j < self.captured else f"x{j - self.captured}" for j in range(count)]
        tree = source.parse_text(f"def gradient({', '.join(names)}):\n    return generated({', '.join(names)})\n")
        origin = self._described().origin
        for node in t.walk(tree):
            node.origin = origin
        tree.origin = origin
        return self.made.setdefault((count,), Function(self.__name__, tree, Scope({}, {}, {"generated": Generated(self)})))

    def _described(self) -> Function:
        from sourcegrad.parse.resolve import describe
        return self.function if isinstance(self.function, Function) else describe(self.function)

    def generated_for(self, args: list[k.Kind], keywords: dict[str, k.Kind]) -> Function:
        """The generated function for arguments of these kinds."""
        from sourcegrad.compiler import emit, pipeline
        function = self._described()
        names = list(function.parameters)
        if keywords or len(args) != len(names):
            raise UnsupportedError(f"the gradient of {function.name}(), an inner function, of other than all its arguments",
                                   function.origin, "Pass all of them by position.")
        own = names[self.captured:]
        wanted = self.inputs if isinstance(self.inputs, (tuple, list)) else (0 if self.inputs is None else self.inputs,)
        active = tuple(own[x] if isinstance(x, int) else x for x in wanted)
        if not set(active) <= set(own):
            raise UnsupportedError(f"an input that is no parameter of {function.name}(), an inner function", function.origin,
                                   f"The parameters are {', '.join(own)}.")
        kinds = {name: k.FLOAT if name in active and isinstance(kind, k.Const) and type(kind.value) is int else kind
                 for name, kind in zip(names, args)}
        key = tuple(kinds.values())
        if key not in self.made:
            single = not isinstance(self.inputs, (tuple, list))
            derived = pipeline.derive(function, kinds, active, single, self.with_value, False)
            emit.calling(derived)
            assert derived.half.__sourcegrad__ is not None
            self.made[key] = derived.half.__sourcegrad__
        return self.made[key]


def inner(tool: Any, function: Any, captured: int, args: list, options: dict[str, Any]) -> Inner | None:
    """What `tool(function, *args, **options)` is for a function that is made inside; None: it is not known how."""
    given = {**dict(zip(("inputs",), args)), **options}
    if len(args) > 1 or given.keys() - {"inputs"}:
        return None
    return Inner(function, captured, tool.__name__ == "value_and_grad", given.get("inputs"))

