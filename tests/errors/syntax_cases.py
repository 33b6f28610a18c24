"""Bodies of `f(x)` that the fence refuses: (body, what the message names, what the remedy says).

`# ^` marks the refused place in the line above.
"""
SYNTAX = {
    "with": ("""
        with np.errstate(all="ignore"):
      # ^
            return np.sum(x)
    """, "`with`", "to the caller"),
    "with inside a loop": ("""
        for i in range(3):
            with open("f"):
          # ^
                x = x * i
        return x
    """, "`with`", "to the caller"),
    "try": ("""
        try:
      # ^
            return np.sum(x)
        except ValueError:
            return 0.0
    """, "`try`", "with `if`"),
    "try finally": ("""
        y = x
        try:
      # ^
            y = y * x
        finally:
            pass
        return y
    """, "`try`", "with `if`"),
    "class": ("""
        class Inner:
      # ^
            pass
        return x
    """, "a class defined inside", "at module level"),
    "async def": ("""
        async def inner():
      # ^
            return x
        return x
    """, "async function", "ordinary function"),
    "yield": ("""
        y = x * 2.0
        yield y * x
      # ^
    """, "generator", "list"),
    "yield value": ("""
        y = yield x
          # ^
        return y
    """, "generator", "list"),
    "yield from": ("""
        yield from [x, x]
      # ^
    """, "generator", "list"),
    "global": ("""
        global np
      # ^
        return x
    """, "`global`", "argument"),
    "nonlocal": ("""
        y = x

        def step():
            nonlocal y
          # ^
            y = y * x
        step()
        return y
    """, "`nonlocal`", "Return the new value"),
    "import": ("""
        import math
      # ^
        return math.sin(x)
    """, "import", "module level"),
    "from import": ("""
        if True:
            from math import sin
          # ^
        return sin(x)
    """, "import", "module level"),
    "match": ("""
        match x:
      # ^
            case 1.0:
                return x
        return x * x
    """, "`match`", "if/elif"),
    "set display": ("""
        return sum({x, 2.0 * x})
                 # ^
    """, "set", "list"),
    "set comprehension": ("""
        return sum({v for v in x})
                 # ^
    """, "set comprehension", "list comprehension"),
    "dict comprehension": ("""
        table = {k: x for k in "ab"}
              # ^
        return table["a"]
    """, "dict comprehension", "dict display"),
    "computed key": ("""
        key = "a"
        table = {"b": x, key: x}
                       # ^
        return table["a"]
    """, "computed keys", "constant keys"),
    "star in a list": ("""
        rest = [x, x]
        return sum([1.0, *rest])
                       # ^
    """, "`*`", "append"),
    "star in a tuple": ("""
        rest = [x, x]
        return sum((*rest, x))
                  # ^
    """, "`*`", "append"),
    "eval": ("""
        return eval("x * x")
             # ^
    """, "`eval`", "visible in the source"),
    "exec": ("""
        exec("y = x")
      # ^
        return x
    """, "`exec`", "visible in the source"),
    "locals": ("""
        return x * locals()["x"]
                 # ^
    """, "`locals`", "visible in the source"),
    "globals": ("""
        return x * globals()["W"]
                 # ^
    """, "`globals`", "visible in the source"),
    "vars": ("""
        return x * vars()["x"]
                 # ^
    """, "`vars`", "visible in the source"),
    "setattr": ("""
        setattr(np, "w", x)
      # ^
        return x
    """, "`setattr`", "visible in the source"),
    "store by a loop": ("""
        y = np.zeros(3)
        for y[0] in range(3):
          # ^
            pass
        return np.sum(x)
    """, "a loop that stores into an array element", "store it in the body"),
    "attribute store": ("""
        np.w = x
      # ^
        return x
    """, "a store into an attribute", "local variable"),
    "augmented attribute": ("""
        np.w += x
      # ^
        return x
    """, "a store into an attribute", "local variable"),
    "delete an item": ("""
        xs = [x, x]
        del xs[0]
          # ^
        return xs[0]
    """, "deleting an item", "Build a new list"),
    "delete an attribute": ("""
        del np.w
          # ^
        return x
    """, "deleting an attribute", "local variable"),
    "delete a name that is read": ("""
        y = x
        del y
          # ^
        return x * y
    """, "`del y` of a name that is read further down", "Leave it out"),
    "decorator inside": ("""
        @np.vectorize
       # ^
        def g(y):
            return y
        return g(x)
    """, "a decorator on a nested function", "at module level"),
    "store in a comprehension": ("""
        y = [0.0]
        return x * sum(1.0 for y[0] in range(3))
                             # ^
    """, "a loop that stores into an array element", "store it in the body"),
    "store through two indices": ("""
        y = np.zeros((3, 3))
        y[0][1] = x[0]
      # ^
        return np.sum(y)
    """, "a store through a chain", "a[i, j] = v"),
    "store through an attribute": ("""
        y = x * 2.0
        y.T[0] = 1.0
      # ^
        return np.sum(y)
    """, "a store through a chain", "a local variable"),
    "repeated key": ("""
        table = {"a": x, "b": x, "a": 2.0 * x}
               # ^
        return table["a"]
    """, "a repeated key", "last entry"),
    "generator kept": ("""
        squares = (v * v for v in x)
                # ^
        return sum(squares)
    """, "an iterator that is kept in a variable", "list comprehension"),
    "iterator kept": ("""
        numbers = iter(x)
                # ^
        return next(numbers)
    """, "an iterator that is kept in a variable", "the sequence itself"),
    "computed key spread": ("""
        table = {"a": x}
        return {**table, "b": x}["a"]
                # ^
    """, "a dict display with `**`", "constant keys"),
}
