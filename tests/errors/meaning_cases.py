"""Bodies of `f(x)` that are refused once the kinds of the arguments are known; written as in syntax_cases."""
MEANING = {
    "setattr": ("""
        setattr(np, "w" + "h", x)
      # ^
        return x
    """, "`setattr`", "as an argument"),
    "attribute store": ("""
        np.w = x
      # ^
        return x
    """, "a store into 'np', which is not a local variable", "as an argument"),
    "augmented attribute": ("""
        np.w += x
      # ^
        return x
    """, "a store into 'np', which is not a local variable", "as an argument"),
    "list with other parts": ("""
        y = x * 2.0
        rows = [y]
        rows.insert(0, x * x)
        y[0] = 1.0
      # ^
        return np.sum(rows[1])
    """, "'y' changes in place, and whether 'rows' changes with it", "Work on a copy"),
    "insert while iterated": ("""
        xs = [x]
        for y in xs:
            xs.insert(0, y * x)
          # ^
            if len(xs) > 4:
                break
        return sum(xs)
    """, "changes while it is iterated over", "Iterate over a copy"),
    "entry changed while items are iterated": ("""
        d = {"a": x, "b": x * x}
        for key, y in d.items():
            d["b"] = y * x
          # ^
        return np.sum(d["a"] * d["b"])
    """, "changes while its items are iterated over", "list(d.items())"),
    "generator read twice": ("""
        squares = (y * y for y in x)
                # ^
        return sum(squares) + sum(squares)
    """, "an iterator that is kept", "read only once"),
    "zip read in a loop": ("""
        pairs = zip(x, x)
              # ^
        total = 0.0
        for i in range(2):
            for a, b in pairs:
                total = total + a * b
        return total
    """, "an iterator that is kept", "read only once"),
    "tee": ("""
        first, second = itertools.tee(x)
                      # ^
        return sum(first) * sum(second)
    """, "`itertools.tee`", "the list itself"),
    "endless loop over count": ("""
        for i, k in zip(itertools.count(), itertools.count(1)):
                  # ^
            if i > 2:
                break
            x = x * i
        return x.sum()
    """, "an iterator without an end", "while True"),
    "repeated row": ("""
        rows = [x * 1.0] * 3
             # ^
        rows[0][1] = x[0]
        return rows[1][1]
    """, "several times", "one by one"),
    "pop of a set": ("""
        s = {1, 2}
        i = s.pop(0)
          # ^
        return x[i] * x[0]
    """, "'.pop' of a set", "add, discard"),
    "unknown method of a list": ("""
        xs = [x]
        xs.push(x)
      # ^
        return sum(xs)
    """, "the method '.push' of a list", "other methods"),
    "class of a deque compared": ("""
        q = collections.deque(x, maxlen=2)
        return x[0] * (2 if type(q) is collections.deque else 1)
                          # ^
    """, "a comparison of the class of a collection", "isinstance(x, deque)"),
    "class of a dict compared": ("""
        d = collections.OrderedDict()
        return x[0] * (2 if type(d) is dict else 1)
                          # ^
    """, "a comparison of the class of a collection", "isinstance(x, dict)"),
    "is it an OrderedDict": ("""
        d = collections.OrderedDict()
        return x[0] * (2 if isinstance(d, collections.OrderedDict) else 1)
                          # ^
    """, "a dict of a special class", "isinstance(x, dict)"),
    "defaults that have derivatives": ("""
        rows = [collections.defaultdict(lambda: x * 2)]
              # ^
        return rows[0][0].sum()
    """, "a defaultdict whose function captures values", "if k not in d"),
    "default of a variable that changes": ("""
        w = x[0]
        d = collections.defaultdict(lambda: w)
                                  # ^
        a = d[0]
        w = a * 2
        return d[1] * w
    """, "captures 'w', which is assigned more than once", "a new name"),
    "OrderedDicts compared": ("""
        a = collections.OrderedDict(a=1, b=2)
        b = collections.OrderedDict(b=2, a=1)
        return x[0] * (2 if a == b else 1)
                          # ^
    """, "a comparison of an OrderedDict", "list(x.items())"),
    "list of a global": ("""
        DATA.insert(0, x)
      # ^
        return sum(DATA)
    """, "'DATA' from outside changes", "as an argument"),
    "item of an unknown container": ("""
        table = collections.UserDict()
        table.setdefault("a", []).append(x)
      # ^
        return x.sum()
    """, "target is not known", "by its name"),
    "generator function kept": ("""
        def squares(v):
            for y in v:
                yield y * y
        g = squares(x)
          # ^
        return sum(g) + sum(g)
    """, "the generator squares() is not read at once", "Loop over the call itself"),
    "generator handed on": ("""
        def squares(v):
            for y in v:
                yield y * y
        def total(values):
            return sum(values)
        return total(squares(x))
                   # ^
    """, "the generator squares() is not read at once", "list(...)"),
    "generator without end": ("""
        def powers(y):
            while True:
          # ^
                yield y
                y = y * y
        return sum(powers(x))
    """, "a generator that does not end", "a number of values"),
    "zip of what is computed, with else": ("""
        total = []
        def taken(v):
            total.append(v)
            return v * v
        for y, k in zip(map(taken, x), [1.0, 2.0]):
                  # ^
            y = y * k
        else:
            y = y * 2.0
        return y * total[-1]
    """, "`zip` of what a function computes and of others that may end before it", "Put what is computed last"),
    "name that a module does not have": ("""
        return np.sum(np.arcsinn(x))
                    # ^
    """, "the module numpy has no attribute 'arcsinn'", "Did you mean arcsin"),
    "method that an array does not have": ("""
        return x.summ()
             # ^
    """, "an array has no attribute 'summ'", "Did you mean sum"),
    "gradient of an inner function": ("""
        from sourcegrad import jacobian
        return np.sum(jacobian(lambda y: y ** 3)(x))
                    # ^
    """, "`jacobian` inside a function that is differentiated", "stands outside"),
    "generator that receives": ("""
        def echo(y):
            z = yield y
              # ^
            yield z
        return sum(echo(x[0]))
    """, "a generator that receives values", "Append the values"),
    "view along an axis that is a parameter": ("""
        x = np.outer(x, x)
        axis = int(x[0, 0] > 0.0)
        np.moveaxis(x, axis, 0)[0] += 1.0
      # ^
        return np.sum(x ** 2)
    """, "'np.moveaxis(x, axis, 0)' changes in place, and whether 'x' changes", "give `np.moveaxis(x, axis, 0).copy()` a name"),
    "generator of a buffer": ("""
        def states(y):
            for k in range(3):
                y += x
              # ^
                yield y
        return sum(np.sum(y) for y in list(states(np.zeros(3))))
    """, "whether 'items' changes with it cannot be known", "Work on a copy"),
    "generator whose argument changes": ("""
        def doubled(v):
            for k in range(len(v)):
                yield 2.0 * v[k]
        y = x * 1.0
        for a, b in zip(x, (2.0 * z for z in doubled(y))):
            y[2] = b
          # ^
        return np.sum(y)
    """, "'y' changes in place, and whether 'doubled(y)' changes with it", "Work on a copy"),
    "capture in an alternative": ("""
        match x.shape:
      # ^
            case (a, 2) | (2, a):
                return np.sum(x) * a
        return np.sum(x)
    """, "a capture in one of several patterns", "if/elif"),
    "rest of a mapping": ("""
        match {"a": 1.0, "b": x}:
      # ^
            case {"a": 1.0, **rest}:
                return np.sum(rest["b"])
    """, "this pattern in a `match`", "if/elif"),
    "half done in a loop": ("""
        y = x
        try:
            for k in range(3):
          # ^
                y = y[k] * x
        except ValueError:
            return np.sum(y)
        return np.sum(x)
    """, "'y' may be half done when an exception is caught", "under another name"),
    "exception in a variable": ("""
        kinds = [KeyError]
        try:
            y = x * {}[len(kinds)]
        except kinds[0]:
             # ^
            y = x
        return np.sum(y)
    """, "an exception to catch that is not a class known by its name", "Name the class"),
    "change in place inside try": ("""
        y = x * 2.0
        try:
            y[0] *= y @ np.ones(2)
          # ^
        except ValueError:
            y = x
        return np.sum(y)
    """, "'y' changes in place inside `try`", "after the `try`"),
    "return in finally": ("""
        try:
            y = x * x
        finally:
            return np.sum(x)
          # ^
    """, "leaving a `finally` block", "after the `try`"),
    "context made from an input": ("""
        with memoryview(x) as y:
      # ^
            return np.sum(x)
    """, "a context manager that is made from values that depend on the inputs", "before and after"),
    "writing closure as a value": ("""
        total = 0.0
        def add(v):
      # ^
            nonlocal total
            total += v
        for f in [add]:
            f(x)
        return total
    """, "the inner function 'add' rebinds a `nonlocal` name and is used as a value", "Call it directly"),
    "writing closure in a lambda": ("""
        total = 0.0
        def add(v):
      # ^
            nonlocal total
            total += v
            return total
        return [lambda v: add(v)][-1](x)
    """, "a lambda that calls 'add', which rebinds a `nonlocal` name", "with `def`"),
    "captured name with another meaning on the way": ("""
        a = x
        def g(t):
            return a * t
        def h(t):
      # ^
            a = 2.0
            return g(t) * a
        return np.sum(h(x))
    """, "'h' has a variable 'a' of its own and calls 'g'", "Rename the 'a' in 'h'"),
    "list changed while iterated": ("""
        xs = [x]
        for y in xs:
            xs.append(y * x)
          # ^
            if len(xs) > 4:
                break
        return sum(xs)
    """, "changes while it is iterated over", "Iterate over a copy"),
    "undefined name": ("""
        y = x * x
        return y * undefined
                 # ^
    """, "name 'undefined' is not defined", "Define it"),
    "method of unknown object": ("""
        rng = np.random.default_rng(0)
        return np.sum(rng.poisson(x))
                    # ^
    """, "rng.poisson(...)", "score function"),
    "list times an unknown array": ("""
        y = np.where([True, False, True], [x[0], x[1], 1.0], x)
        return np.sum(y * [1.0, 2.0, 3.0])
                    # ^
    """, "an operation between a list and what may be an array", "np.array"),
    "option of a function that depends on the inputs": ("""
        return np.linalg.norm(x, ord=2.0 + x[0])
             # ^
    """, "'ord' of np.linalg.norm", "stop_gradient"),
    "grid that depends on the inputs": ("""
        return np.sum(np.mgrid[0:x[0]:4j])
                    # ^
    """, "an index of np.mgrid", "np.linspace"),
    "a queue": ("""
        waiting = queue.Queue()
                # ^
        waiting.put(x[0])
        return waiting.get() ** 2
    """, "queue.Queue", "collections.deque"),
    "masked array": ("""
        return np.ma.masked_less(x, 0.0).sum()
             # ^
    """, "np.ma.masked_less", "boolean mask"),
    "np.r_ with a text": ("""
        return np.sum(np.r_["r", x, x])
                    # ^
    """, "np.r_ with a text", "np.concatenate"),
    "method of unknown object of a varied value": ("""
        return np.sum(x.byteswap())
                    # ^
    """, "x.byteswap(...)", "by its name"),
    "attribute of an array": ("""
        return np.sum(x.base)
                    # ^
    """, "'.base'", "array itself"),
    "where": ("""
        return np.ptp(x, where=x > 0)
             # ^
    """, "this form of np.ptp has no derivative rule: `where`", "Select the elements first"),
    "ufunc where": ("""
        return np.sum(np.exp(x, where=x > 0))
                    # ^
    """, "this form of np.exp has no derivative rule", "The rule takes (x"),
    "out": ("""
        y = np.zeros(3, dtype=int)
        np.exp(x, out=y)
      # ^
        return np.sum(x * y)
    """, "float64 values written into 'y' of dtype int64", "make the array with dtype=float64"),
    "resize in place": ("""
        y = x * 2
        y.resize(2)
      # ^
        return np.sum(y)
    """, "changes its size in place", "np.resize"),
    "shape of a shared array": ("""
        y = np.outer(x, x)
        z = y
        y.shape = (9,)
      # ^
        return np.sum(z[0] * y[0])
    """, "'shape' of the array 'y', which others may hold", "y.reshape"),
    "dtype set": ("""
        y = x * 2
        y.dtype = np.complex128
      # ^
        return np.sum(y.real)
    """, "'dtype' of the array 'y'", "new array"),
    "shuffle of a list": ("""
        y = [x[0], x[1]]
        np.random.shuffle(y)
      # ^
        return y[0]
    """, "not known to be an array", "np.zeros"),
    "store into a broadcast": ("""
        y = np.broadcast_to(x, (2, 3))
        y[0] = 1.0
      # ^
        return np.sum(y)
    """, "read-only in NumPy", ".copy()"),
    "write into a diagonal": ("""
        y = np.outer(x, x).diagonal()
        np.multiply(y, 2, out=y)
      # ^
        return np.sum(y)
    """, "read-only in NumPy", ".copy()"),
    "writing method kept": ("""
        y = x * 2
        change = y.fill
               # ^
        change(1.0)
        return np.sum(y)
    """, "the method 'fill' of an array", "where it stands"),
    "complex into real": ("""
        y = np.zeros(3)
        np.multiply(x, 1j, out=y)
      # ^
        return np.sum(y)
    """, "complex128 values written into 'y' of dtype float64", "dtype=complex128"),
    "out of a global array": ("""
        np.multiply(x, 2, out=math)
      # ^
        return np.sum(x)
    """, "'math'", ""),
    "positional out": ("""
        np.exp(x, math)
      # ^
        return np.sum(x)
    """, "'math'", ""),
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
    "rounding to integers in place": ("""
        y = np.arange(3)
        y += x
      # ^
        return np.sum(y)
    """, "`y += ...` of an integer array with floats", "dtype=float"),
    "inner function with rebinding": ("""
        a = x

        def g(y):
      # ^
            return a * y
        fs = [g]
        a = a * 2.0
        return np.sum(a) + len(fs)
    """, "captures 'a', which is assigned more than once", "Give 'a' a new name"),
    "function that a callee keeps": ("""
        def keep(f):
            return [f]
        w = x[0] * 2.5
        kept = keep(lambda: w * x[1])
                  # ^
        w = 3.0
        return kept[0]() * w
    """, "captures 'w', which is assigned more than once", "Give 'w' a new name"),
    "function that one of many parameters keeps": ("""
        def keep(*fs):
            return list(fs)
        w = x[0] * 2.5
        kept = keep(lambda: w * x[1])
                  # ^
        w = 3.0
        return kept[0]() * w
    """, "captures 'w', which is assigned more than once", "Give 'w' a new name"),
    "function that a callee hands on to one that keeps it": ("""
        def keep(f):
            return [f]

        def hand_on(f):
            return keep(f)
        w = x[0] * 2.5
        kept = hand_on(lambda: w * x[1])
                     # ^
        w = 3.0
        return kept[0]() * w
    """, "captures 'w', which is assigned more than once", "Give 'w' a new name"),
    "function that a callee by another name keeps": ("""
        def keep(f):
            return [f]
        other = keep
        w = x[0] * 2.5
        kept = other(lambda: w * x[1])
                   # ^
        w = 3.0
        return kept[0]() * w
    """, "captures 'w', which is assigned more than once", "Give 'w' a new name"),
    "function that a function of a callee calls": ("""
        def doubled(f):
            def inner(t):
                return 2.0 * f(t)
            return inner
        w = x[0]
        g = doubled(lambda t: w * t)
                  # ^
        w = 5.0
        return g(x[1]) * w
    """, "captures 'w', which is assigned more than once", "Give 'w' a new name"),
    "in a nested expression over lines": ("""
        return (
            np.sum(x)
            + np.ptp(x,
            # ^
                     where=x > 0)
        )
    """, "this form of np.ptp", "Select the elements"),
    "after wide characters": ("""
        größe = np.sum(x) * np.ptp(x, where=x > 0)
                          # ^
        return größe
    """, "this form of np.ptp", "Select the elements"),
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
    """, "zlib.crc32 has no derivative rule and no Python source", "@sg.rule(zlib.crc32)\ndef crc32_rule(ct, out, data, value=0)"),
}
