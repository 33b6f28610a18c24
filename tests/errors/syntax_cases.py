"""Bodies of `f(x)` that the fence refuses: (body, what the message names, what the remedy says).

`# ^` marks the refused place in the line above.
"""
SYNTAX = {
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
    "global store": ("""
        global np
        np = x
      # ^
        return x
    """, "a store into the global 'np'", "argument"),
    "global augmented in an inner function": ("""
        def count():
            global total
            total += 1
          # ^
        count()
        return x
    """, "a store into the global 'total'", "argument"),
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
    "store by a loop": ("""
        y = np.zeros(3)
        for y[0] in range(3):
          # ^
            pass
        return np.sum(x)
    """, "a loop that stores into an array element", "store it in the body"),
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
    "store in a comprehension": ("""
        y = [0.0]
        return x * sum(1.0 for y[0] in range(3))
                             # ^
    """, "a loop that stores into an array element", "store it in the body"),
    "repeated key": ("""
        table = {"a": x, "b": x, "a": 2.0 * x}
               # ^
        return table["a"]
    """, "a repeated key", "last entry"),
}
