"""The rules are closed: what a rule calls has a derivative itself, so that derivatives of any order exist."""
import ast
import builtins
import importlib
import inspect
import pkgutil
import textwrap
import types

import pytest

from sourcegrad import primitives, runtime
from sourcegrad.primitives.core import JVPS, PARTS, RULES, STATIC_QUERIES, ZERO_DERIVATIVE, primitive_of
from sourcegrad.primitives.methods import ATTRIBUTES, METHODS, SHAPE_ATTRIBUTES
from sourcegrad.runtime import containers

RULE_MODULES = [importlib.import_module(m.name) for m in pkgutil.walk_packages(primitives.__path__, f"{primitives.__name__}.")]
OWN_RULES = list({rule.function: rule for rule in RULES.values()
                  if rule.function.__module__.startswith(primitives.__name__)}.values())
EACH_RULE = pytest.mark.parametrize("rule", OWN_RULES, ids=lambda r: f"{r.function.__module__.split('.')[-1]}.{r.name}")
ALLOWED_STATEMENTS = (ast.Assign, ast.If, ast.Return)


def tree_of(function):
    """The tree of a rule, with the parts that it shares with other rules written out."""
    names = function.__globals__

    class WriteOut(ast.NodeTransformer):
        def visit_Return(self, node):
            part = names.get(getattr(getattr(node.value, "func", None), "id", None))
            return tree_of(part).body if part in PARTS else node

    return WriteOut().visit(ast.parse(textwrap.dedent(inspect.getsource(function))).body[0])


def known(value):
    return value in RULES or value in ZERO_DERIVATIVE or value in STATIC_QUERIES or value in PLAIN or (
        primitive_of(value).instead is not None)


def lookup(node, names):
    """The object that a dotted name stands for in a rule; None for a method or attribute of a value."""
    if isinstance(node, ast.Name):
        return names.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        owner = lookup(node.value, names)
        return getattr(owner, node.attr) if isinstance(owner, (types.ModuleType, type)) else None
    return None


def unknown_calls(function):
    tree, names = tree_of(function), function.__globals__
    for node in ast.walk(ast.Module(body=tree.body, type_ignores=[])):
        if isinstance(node, ast.Call):
            value = lookup(node.func, names)
            if value is None and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                value = METHODS[node.func.attr].function
            if value is None or not known(value):
                yield ast.unparse(node)


@EACH_RULE
def test_every_call_in_a_rule_has_a_derivative(rule):
    assert not list(unknown_calls(rule.function)), "calls without a rule: second derivatives are missing"


@EACH_RULE
def test_every_attribute_in_a_rule_has_a_derivative(rule):
    names = rule.function.__globals__
    called = {id(node.func) for node in ast.walk(tree_of(rule.function)) if isinstance(node, ast.Call)}
    for statement in tree_of(rule.function).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and id(node) not in called and lookup(node, names) is None:
                owner = lookup(node.value, names)
                assert isinstance(owner, types.ModuleType) or node.attr in ATTRIBUTES or node.attr in SHAPE_ATTRIBUTES


@EACH_RULE
def test_the_text_of_a_rule_can_be_substituted(rule):
    """Assignments, `if` and `return` only, each name assigned once on a path, and a return at the end of each path."""
    def block(statements, assigned):
        for position, s in enumerate(statements):
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
                continue
            assert isinstance(s, ALLOWED_STATEMENTS), f"{type(s).__name__} in a rule"
            if isinstance(s, ast.Assign):
                new = {n.id for t in s.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                assert not new & assigned, f"{new & assigned} assigned twice"
                assigned = assigned | new
            elif isinstance(s, ast.If):
                rest = statements[position + 1:]
                return block(s.body + rest, assigned) and block(s.orelse + rest, assigned)
            else:
                return True
        return False

    parameters = {"ct", "out", *rule.parameters}
    assert block(tree_of(rule.function).body, parameters), "a path without return"


@EACH_RULE
def test_a_refusal_covers_every_parameter(rule):
    """A branch that only raises must do so for each parameter that some other branch differentiates."""
    returns = [node.value for node in ast.walk(tree_of(rule.function)) if isinstance(node, ast.Return)]
    branches = [value.elts if isinstance(value, ast.Tuple) else [value] for value in returns]
    differentiated = {k for parts in branches for k, part in enumerate(parts)
                      if not (isinstance(part, ast.Constant) and part.value is None)}
    for parts in branches:
        refusing = [k for k, part in enumerate(parts) if isinstance(part, ast.Call)
                    and isinstance(part.func, ast.Name) and part.func.id == "refuse"]
        if refusing and len(refusing) == len([p for p in parts if not isinstance(p, ast.Constant)]):
            assert set(refusing) >= differentiated, "the other parameters would silently get a zero"


# put in by the last pass, or taken out before the reverse transformation, or only a notation for places
DESTRUCTIVE = {name for name in containers.__all__ if not getattr(getattr(runtime, name), "__sourcegrad_pure__", True)}
IN_PLACE = {"at", "add_at", "add_to_extremum", "attribute_store", "index_store", "index_update", *DESTRUCTIVE}


# ordinary Python, differentiated like any other function
PLAIN = {runtime.Instance, runtime.Either, runtime.multiply_at, runtime.divide_at, runtime.call_forward, runtime.call_forward_for,
         runtime.call_reverse, runtime.call_jvp,
         runtime.apply_along_axis, runtime.apply_over_axes, runtime.fromfunction, runtime.promoted,
         runtime.broadcast_promoted, runtime.broadcast_sizes,
         runtime.Kept, runtime.Counting, runtime.Cycling,
         runtime.entry_add_at,
         runtime.entry_bar, runtime.zero_gradient,
         runtime.taken_part, runtime.array_bar, runtime.items_add, runtime.items_taken, runtime.index_in,
         runtime.check_size, runtime.fill_dict, runtime.move_adjoints, runtime.NumberedDeque, runtime.set_field,
         runtime.gamma_slope, runtime.beta_slope, runtime.student_slope, runtime.f_slopes,
         runtime.Checkpoints, runtime.checkpointed, runtime.checkpointed_until, runtime.rewind,
         runtime.copy_in, runtime.with_copies}                               # (stand in texts that nobody differentiates)


@pytest.mark.parametrize("name", [name for name in vars(runtime) if callable(getattr(runtime, name))])
def test_every_helper_has_a_derivative(name):
    helper = getattr(runtime, name)
    generated = hasattr(helper, "generated_for")                # code is made for it where it is called
    assert generated or helper in RULES or helper in ZERO_DERIVATIVE or name in IN_PLACE or helper in PLAIN


def test_every_method_means_a_function_with_a_rule():
    for name, method in METHODS.items():
        assert known(method.function), f"x.{name}()"
    for name, key in ATTRIBUTES.items():
        assert known(key), f"x.{name}"


def registered(registrars):
    """The functions that are registered by calls of the registrars, and where."""
    seen = {}
    for module in RULE_MODULES:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in registrars:
                try:
                    display = ast.Expression(ast.Tuple(elts=node.args, ctx=ast.Load()))
                    values = eval(compile(ast.fix_missing_locations(display), module.__name__, "eval"), vars(module))
                except NameError:                       # inside a function: a local name
                    continue
                for value in dict.fromkeys(values):
                    seen.setdefault(value, []).append(f"{module.__name__}:{node.lineno}")
    return seen


def test_tangents_follow_their_rules():
    """`jvp` passes over a function that has no rule yet: the rule stands above, or the tangent would never be used."""
    seen = registered({"jvp"})
    assert len(seen) > 50
    assert not {value: places for value, places in seen.items() if value not in JVPS}


def test_nothing_is_registered_twice():
    """A second registration silently replaces the first."""
    seen = registered({"rule", "nondifferentiable", "on_numbers", "elementwise", "on_complex", "reducing"})
    assert len(seen) > 400
    assert not {value: places for value, places in seen.items() if len(places) > 1}
