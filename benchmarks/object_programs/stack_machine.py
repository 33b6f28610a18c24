"""A stack machine: a program as a list of tuples, constants in a dict, a stack, variables by name, and a jump back."""
import math


def primal(constants, x, program, turns):
    stack, variables = [], dict(constants)
    variables["x"] = x
    count, place = 0, 0
    while place < len(program):
        operation, name = program[place]
        place += 1
        if operation == "load":
            stack.append(variables[name])
        elif operation == "store":
            variables[name] = stack.pop()
        elif operation == "add":
            right = stack.pop()
            stack.append(stack.pop() + right)
        elif operation == "multiply":
            right = stack.pop()
            stack.append(stack.pop() * right)
        elif operation == "sine":
            stack[-1] = math.sin(stack[-1])
        elif operation == "copy":
            stack.append(stack[-1])
        elif operation == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif operation == "repeat":
            count += 1
            if count < turns:
                place = 0
    return stack[-1]


def adjoint(constants, x, program, turns):
    stack, variables = [], dict(constants)
    variables["x"] = x
    tape = []
    count, place = 0, 0
    while place < len(program):
        operation, name = program[place]
        place += 1
        saved = name
        if operation == "load":
            stack.append(variables[name])
        elif operation == "store":
            variables[name] = stack.pop()
        elif operation == "add":
            right = stack.pop()
            stack[-1] += right
        elif operation == "multiply":
            right = stack.pop()
            saved = (stack[-1], right)
            stack[-1] *= right
        elif operation == "sine":
            saved = stack[-1]
            stack[-1] = math.sin(saved)
        elif operation == "copy":
            stack.append(stack[-1])
        elif operation == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif operation == "repeat":
            count += 1
            if count < turns:
                place = 0
        tape.append((operation, saved))
    value = stack[-1]

    bars = [0.0] * len(stack)
    bars[-1] = 1.0
    variable_bars = dict.fromkeys(variables, 0.0)
    for operation, saved in reversed(tape):
        if operation == "load":
            variable_bars[saved] += bars.pop()
        elif operation == "store":
            bars.append(variable_bars[saved])
            variable_bars[saved] = 0.0
        elif operation == "add":
            bars.append(bars[-1])
        elif operation == "multiply":
            left, right = saved
            bar = bars.pop()
            bars += [bar * right, bar * left]
        elif operation == "sine":
            bars[-1] *= math.cos(saved)
        elif operation == "copy":
            bar = bars.pop()
            bars[-1] += bar
        elif operation == "swap":
            bars[-1], bars[-2] = bars[-2], bars[-1]
    return value, ({name: variable_bars[name] for name in constants}, variable_bars["x"])


INPUTS = ("constants", "x")
COUNTED = "turns"
TEXT = "load x, copy, sine, load a, multiply, swap, load b, multiply, add, load c, add, store x, repeat, load x, copy, multiply"


def make(size, rng):
    turns = {"tiny": 2, "full": 20}.get(size) or size
    constants = {name: 0.8 * float(rng.random()) for name in "abc"}
    program = [tuple((instruction + " -").split()[:2]) for instruction in TEXT.split(", ")]
    return constants, 0.7, program, turns
