"""Bodies of `f(x)` that are refused once the kinds of the arguments are known; written as in syntax_cases."""
MEANING = {
    "store into a dict": ("""
        table = {}
        table["a"] = x
      # ^
        return table["a"]
    """, "a store into 'table', which is not known to be an array or a list", ""),
    "list changed while iterated": ("""
        xs = [x]
        for y in xs:
            xs.append(y * x)
          # ^
        return sum(xs)
    """, "changes while it is iterated over", "Iterate over a copy"),
    "extend": ("""
        xs = [x]
        xs.extend([x, x])
      # ^
        return sum(xs)
    """, "xs.extend", ""),
    "insert": ("""
        xs = [x]
        xs.insert(0, x)
      # ^
        return sum(xs)
    """, "xs.insert", ""),
    "sort": ("""
        xs = [x]
        xs.sort()
      # ^
        return sum(xs)
    """, "xs.sort", ""),
    "reverse of constants": ("""
        xs = [1.0, 2.0]
        xs.reverse()
      # ^
        return xs[0] * x
    """, "xs.reverse", ""),
    "list += list": ("""
        xs = [x]
        xs += [x]
      # ^
        return sum(xs)
    """, "the list 'xs' is extended in place", "Append the elements"),
    "pop without use": ("""
        xs = [x, x]
        xs.pop()
      # ^
        return sum(xs)
    """, "without using its value", "unused = xs.pop()"),
    "undefined name": ("""
        y = x * x
        return y * undefined
                 # ^
    """, "name 'undefined' is not defined", "Define it"),
    "function out of a dict": ("""
        table = {"s": np.sin, "c": np.cos}
        return table["s" if x[0] > 0 else "c"](x)
             # ^
    """, "target is not known", "by its name"),
    "function out of a list": ("""
        fs = [np.sin, np.cos]
        return fs[0](x)
             # ^
    """, "target is not known", "by its name"),
    "method of unknown object": ("""
        rng = np.random.default_rng(0)
        return np.sum(rng.normal(x))
                    # ^
    """, "rng.normal(...)", "by its name"),
    "method of unknown object of a varied value": ("""
        return np.sum(x.byteswap())
                    # ^
    """, "x.byteswap(...)", "by its name"),
    "attribute of an array": ("""
        return np.sum(x.flat)
                    # ^
    """, "'.flat'", "array itself"),
    "where": ("""
        return np.sum(x, where=x > 0)
             # ^
    """, "this form of np.sum has no derivative rule", "The rule takes (a, axis"),
    "ufunc where": ("""
        return np.sum(np.exp(x, where=True))
                    # ^
    """, "this form of np.exp has no derivative rule", "The rule takes (x"),
    "out": ("""
        return np.sum(np.exp(x, out=np.empty(3)))
                    # ^
    """, "np.exp", ""),
    "positional out": ("""
        y = np.zeros(3)
        return np.sum(np.exp(x, y))
                    # ^
    """, "np.exp", ""),
    "unknown keyword": ("""
        return np.sum(x, axes=0)
             # ^
    """, "this form of np.sum has no derivative rule", "The rule takes (a, axis"),
    "star of unknown length": ("""
        xs = [v for v in x]
        return math.hypot(*xs)
      # ^
    """, "`*` of something whose length is not known", "one by one"),
    "missing argument": ("""
        def g(a, b):
            return a * b
        return np.sum(g(x))
                    # ^
    """, "missing required argument 'b'", ""),
    "unexpected keyword": ("""
        def g(a):
            return a
        return np.sum(g(x, b=2.0))
                    # ^
    """, "unexpected keyword argument 'b'", ""),
    "too many arguments": ("""
        def g(a):
            return a
        return np.sum(g(x, x))
                    # ^
    """, "takes 1 positional argument", ""),
    "in place on a view of an argument": ("""
        y = x.reshape(-1)
        y *= 2.0
      # ^
        return np.sum(y)
    """, "in place", "y = y * ..."),
    "in place on a shared array": ("""
        y = x * 2.0
        z = y
        y -= x
      # ^
        return np.sum(z)
    """, "that 'z' may share", "y = y - ..."),
    "in place on a list element": ("""
        y = x * 2.0
        seen = [y]
        y /= 3.0
      # ^
        return np.sum(seen[0])
    """, "that 'seen' may share", "y = y / ..."),
    "in place power": ("""
        y = x * 2.0
        z = y
        y **= 2
      # ^
        return np.sum(z)
    """, "`y **= ...`", "y = y ** ..."),
    "rounding in place": ("""
        y = np.ones(3, dtype=np.float32)
        y *= x
      # ^
        return np.sum(y)
    """, "may round to the dtype", "y = y * ..."),
    "rounding to integers in place": ("""
        y = np.arange(3)
        y += x
      # ^
        return np.sum(y)
    """, "may round to the dtype", "y = y + ..."),
    "inner function with rebinding": ("""
        a = x

        def g(y):
      # ^
            return a * y
        fs = [g]
        a = a * 2.0
        return np.sum(a) + len(fs)
    """, "captures 'a', which is assigned more than once", "Give 'a' a new name"),
    "iter": ("""
        total = 0.0
        for v in iter(x):
               # ^
            total = total + v
        return total
    """, "iter(...)", "Iterate over the sequence"),
    "caller's list": ("""
        def push(ys):
            ys.append(x)
          # ^
            return sum(ys)
        return push([x])
    """, "the list 'ys' of the caller changes", "list(ys)"),
    "in a nested expression over lines": ("""
        return (
            np.sum(x)
            + np.sum(x,
            # ^
                     where=x > 0)
        )
    """, "this form of np.sum", "The rule takes"),
    "after wide characters": ("""
        größe = np.sum(x) * np.sum(x, where=x > 0)
                          # ^
        return größe
    """, "this form of np.sum", "The rule takes"),
    "nothing returned": ("""
        y = x * x
      # ^
    """, "returns nothing", "Return the value"),
    "tuple returned": ("""
        return x, x
      # ^
    """, "returns a tuple", "grad_outputs"),
    "list returned": ("""
        return [x, x]
      # ^
    """, "returns a list", "grad_outputs"),
    "dict returned": ("""
        return {"a": x}
      # ^
    """, "returns a dict", "grad_outputs"),
    "array returned": ("""
        y = x * 2.0
        return np.stack([y, y])
      # ^
    """, "has shape (2, 3)", "grad_outputs"),
    "missing rule": ("""
        return np.sum(x) * zlib.crc32(x)
                         # ^
    """, "zlib.crc32 has no derivative rule and no Python source", "@sg.rule(zlib.crc32)\ndef crc32_rule(ct, out, x)"),
}
