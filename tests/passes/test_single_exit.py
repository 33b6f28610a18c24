"""single_exit: `return`, `break` and `continue` become flags, branches and one `return` at the end."""
from tests.passes.becomes import Cases

CASES = Cases("single_exit")
becomes = CASES.becomes


@becomes("""
    if x > 0.0:
        result = x
    else:
        y = x * x
        result = y
    return result
""")
def early_return(x):
    if x > 0.0:
        return x
    y = x * x
    return y


@becomes("""
    if x > 0.0:
        y = x
    return None
""")
def no_return(x):
    if x > 0.0:
        y = x


@becomes("""
    broke = False
    for _ in range(3):
        if x > 1.0:
            broke = True
        else:
            x = x * x
        if broke:
            break
    result = x
    return result
""")
def break_(x):
    for _ in range(3):
        if x > 1.0:
            break
        x = x * x
    return x


@becomes("""
    y = 0.0
    for k in range(3):
        if k == 1:
            pass
        else:
            y = y + x
    result = y
    return result
""")
def continue_(x):
    y = 0.0
    for k in range(3):
        if k == 1:
            continue
        y = y + x
    return y


@becomes("""
    returned = False
    for k in range(3):
        for j in range(k):
            if x > j:
                result = x * j
                returned = True
            if returned:
                break
        if returned:
            break
    if returned:
        pass
    else:
        result = x
        returned = True
    return result
""")
def return_in_nested_loops(x):
    for k in range(3):
        for j in range(k):
            if x > j:
                return x * j
    return x


@becomes("""
    broke = False
    for k in range(3):
        if x > k:
            broke = True
        if broke:
            break
    if broke:
        pass
    else:
        x = x * x
    result = x
    return result
""")
def for_else(x):
    for k in range(3):
        if x > k:
            break
    else:
        x = x * x
    return x


@becomes("""
    returned = False
    while True:
        x = x * x
        if x < 0.1:
            result = x
            returned = True
        if returned:
            break
    return result
""")
def endless(x):
    while True:
        x = x * x
        if x < 0.1:
            return x


@becomes("""
    if x < 0.0:
        raise ValueError('negative')
    return x
""")
def raise_is_left(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


test_exits = CASES.check()
