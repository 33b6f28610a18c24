"""Layout: no line of an emitted text is longer than WIDTH, and a broken statement is the same statement."""
import ast
import textwrap

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.cost import Program
from sourcegrad.ir.printing import WIDTH, wrapped
from sourcegrad.ir.source import generated_tree
from tests.golden.refresh import TEXTS

STATEMENTS = """
a, b, c, d, e, f, g, h, k = saved
a_tape, b_tape, c_tape, d_tape, e_tape, f_tape = tape_of_the_loop.pop()
part, other_part = reverse_of_a_callee(saved_by_the_callee, result_bar, other_bar)
tape.append((first, second, third, fourth.shape, fifth[0], sixth))
return value, (cond_tape, covariance, gain, innovation, step_saved)
return (value, self), (cond_tape, covariance, gain, innovation, step_saved)
return {'a': 2.0 * first_bar * second + np.sum(third_bar), **other_bar}
total = add(product_2_bar, at_position(voltages_bar, voltages, first_position(voltages, most)))
energy = -0.5 * total_mass ** -2 * speed ** 2 + weight * -height - offset @ other % 3 // 2
x_bar[first_position:second_position, third_position] += value_bar * factor_of_the_value
x_bar[first_position:second_position, third_position_of_all] = 0.0
first_of_two_long_names_bar = second_of_two_long_names_bar_that_is_longer
first_of_two_long_names = first_of_two_long_names_tape.pop()
chosen = first_of_the_values if condition_of_the_choice and not other_condition else -second_of_the_values
found = [f(a, b) for a, b in zip(first_of_the_values, second_of_the_values) if a not in missing if b]
found = {name: value for name, value in dict_items(first_of_the_values_that_are_known).pairs}
found = lambda first, second=3: first_of_the_values + second_of_the_values * first * second
found = (first_of_the_values_that_are_known_by_name_or_number,)
found = first_of_the_values_that_are_known_by_name_or_number,
found = some.of_the_values[0].reshape(first_of_the_shapes, second_of_the_shapes).T[:, None] @ other
made_for('x: float64[:,:,:], target: float64[:,:,:], wx: float64[:,:], wh: float64[:,:]', x, target, wx, wh, n, k)
check('it is "quoted", isn\\'t it, and long: as long as a message of an error', value)
raise ValueError(f'not known: {first_of_the_values!r} and {second}', first_of_the_values)
assert first_of_the_values_that_are_known > second_of_the_values, 'told in words of some length'
from somewhere.far import first_of_the_names, second_of_the_names as second, third_of_the_names, a, b, c
print(*first_of_the_values_that_are_known, *second_of_the_values, sep='a, b', **options_of_the_call)
value = first_of_the_values[first_of_the_positions, ][second_of_the_positions_that_are_known, ...]
value = not first_of_the_values is not second_of_the_values_that_are_known or 1e-05 - 2.5j in numbers
value = first | second & third_of_the_values_that_are_known ^ fourth << 2 | ~fifth_of_the_values >> 1
while first_of_the_values_that_are_known(second_of_the_values) and third_of_the_values: pass
for first, (second, third) in zip(reversed(first_of_the_values), reversed(second_of_the_values)): pass
with np.errstate(divide='ignore', invalid='ignore', over='ignore', under='ignore') as state: pass
def function(first_of_the_values, second=1.0, *others, third_of_the_values: float = None, **rest) -> list[int]: pass
""".strip().split("\n")


@pytest.mark.parametrize("width", [44, 60, 80])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_broken_statement_is_the_same(statement: str, width: int) -> None:
    indented = f"if x:\n    {statement}" if not statement.startswith(("while", "for", "with", "def")) else statement
    head, colon, body = indented.partition(": pass")
    text = wrapped(head + ":" * bool(colon), width) + " pass" * bool(colon)
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(indented))
    assert max(map(len, text.split("\n"))) <= max(width, 62), text          # a name or index may be longer than 44


def test_comments_are_cut() -> None:
    line = "    # model.py:89  self.log.append({'t': t * dt, 'v': sum(voltages), 'spread': max(voltages) - min(voltages)})"
    assert wrapped(line, 60) == "    # model.py:89  self.log.append({'t': t * dt, 'v': ..."


@pytest.mark.parametrize("path", sorted(TEXTS.glob("*.txt")), ids=lambda path: path.stem)
def test_golden_texts(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert max(map(len, text.split("\n"))) <= WIDTH
    unbroken = ast.unparse(ast.parse(text))
    for width in (50, 70, WIDTH):
        assert ast.dump(ast.parse(wrapped(unbroken, width))) == ast.dump(ast.parse(text))


def mixed(coefficients, first_of_the_positions, second_of_the_positions, third_of_the_positions, strength_of_the_field):
    return np.sum(np.sin(coefficients * first_of_the_positions) * np.cos(coefficients * second_of_the_positions) * np.tanh(
        coefficients * third_of_the_positions)) * strength_of_the_field


def test_lines_of_a_broken_statement_belong_to_one_of_the_user() -> None:
    x = np.linspace(0.1, 0.9, 5)
    inputs = ("coefficients", "first_of_the_positions", "third_of_the_positions", "strength_of_the_field")
    gradient = sg.grad(mixed, inputs)
    gradient(x, x, x, x, 2.0)
    derived = gradient._last[0]
    text = str(derived.half.text)
    assert max(map(len, text.split("\n"))) <= WIDTH and text.count("(\n") > 1
    _, origins, split = generated_tree(derived.half.filename)
    start = mixed.__code__.co_firstlineno
    assert set(origins) and {o.line for o in origins.values() if o is not None} <= {start, start + 1}
    part = Program(derived).parts[-1]
    lines = text.split("\n")
    for statement in part.statements:
        ast.parse(textwrap.dedent("\n".join(lines[statement.first - 1:statement.last])))
    assert any(s.last > s.first for s in part.statements) and split < len(lines)
