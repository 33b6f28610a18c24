"""Random in-place NumPy programs as text: helper functions that change their arguments, then `program`."""
from __future__ import annotations

import contextlib

from tests.programs.lines import Lines
from tests.programs.mutation_expressions import FACTORS, THRESHOLDS, Expressions, Helper, Place, Shape, weights_name

SHAPES: tuple[Shape, ...] = ((3,), (4,), (3,), (2, 3), (2, 2), (3, 3), (1,), (4, 2), (1, 3), (2,))
COMMON: tuple[Shape, ...] = ((3,), (4,), (2, 3), (2,))


FEATURES = ("augment", "bind_view", "second_name", "work_array", "shift", "mask_store", "save_mask", "call_out", "method",
            "swap", "rebind", "collect", "bind_number", "call", "split", "branch", "for_", "rows", "while_",
            "inner_function", "early_return", "chain", "fancy", "views")


class Writer(Lines, Expressions):
    share = 50                  # percent of the features that a program does without

    # --- functions

    def module(self, shapes: dict[str, Shape], with_count: bool, with_scalar: bool, result: Shape | None) -> str:
        """The text; `program` has parameters `shapes`, then a trip count `n`, then a number `s`.

        Every program does without some features, or one refused feature would hide all others (Groce et al., "Swarm
        testing", ISSTA 2012).
        """
        self.lines = []
        if self.chance(75):
            self.without = frozenset(name for name in FEATURES if self.chance(self.share))
        helpers: dict[str, Helper] = {}
        for _ in range(0 if "call" in self.without else self.pick([0, 1, 1, 2])):
            self.helper(helpers, [shapes[name] for name in shapes])
        self.budget = self.pick([3, 5, 7, 9, 11])
        place = Place(dict(shapes), helpers=helpers, result=result)
        if with_count:
            place.ints["n"] = 4
        if with_scalar:
            place.scalars["s"] = None
        self.function("program", [*shapes, *place.ints, *place.scalars], place, self.budget)
        header = ["import numpy as np", ""]
        for shape, name in sorted(self.weights.items()):
            size = 1
            for length in shape:
                size *= length
            numbers = [round(self.rng.uniform(0.3, 1.6) * self.pick([-1, 1]), 2) for _ in range(size)]
            header.append(f"{name} = np.array({numbers}){'' if len(shape) == 1 else f'.reshape{shape}'}")
        return "\n".join(header + self.lines) + "\n"

    def helper(self, helpers: dict[str, Helper], shapes: list[Shape]) -> None:
        """A function of one or two arrays; it returns a number, an array (perhaps a view of an argument) or nothing."""
        parameters = tuple(self.pick([*shapes, self.pick(COMMON), (self.pick(shapes)[-1],)])
                           for _ in range(self.pick([1, 2])))
        result = self.pick([None, None, (), self.pick(parameters)])
        self.budget = self.pick([1, 2, 3])
        name = self.fresh("helper")
        names = ["x", "y"][:len(parameters)]
        self.function(name, names, Place(dict(zip(names, parameters)), helpers=dict(helpers), result=result, depth=1),
                      self.budget)
        helpers[name] = Helper(parameters, result)

    def return_(self, place: Place, thorough: bool = False) -> None:
        if place.result is None:
            if not thorough:
                self.line("return")
            elif self.chance(50):
                self.line(f"{self.whole(self.pick(list(place.arrays)))} *= {self.pick(FACTORS)}")
        elif place.result == ():
            names = list(place.arrays)[::-1][:5] if thorough else [self.pick(list(place.arrays))]
            if thorough and place.depth == 0:
                names = list(dict.fromkeys([*names, *[n for n in ("a", "b", "c") if n in place.arrays]]))
            self.line("return " + " + ".join([*map(lambda name: self.total(place, name), names),
                                              *[f"0.3 * {name}" for name in place.scalars]]))
        else:
            text = self.fitting(place, place.result)
            if text is None or self.chance(40):
                text = self.number(place, place.result, 1) + f" + {weights_name(self.weighted(place.result))}"
            elif place.depth == 0:
                text = f"{self.pick(FACTORS)} * {text}" if self.chance(50) else text
            self.line(f"return {text}")

    def total(self, place: Place, name: str) -> str:
        weights = weights_name(self.weighted(place.arrays[name]))
        return self.pick([f"np.sum({weights} * {name})", f"({weights} * {name}).sum()", f"np.sum(np.sin({name}) * {weights})"])

    # --- statements

    def statement(self, place: Place) -> None:
        forms = [self.store, self.store, self.store, self.augment, self.augment, self.augment_item, self.augment_item,
                 self.bind_view, self.bind_view, self.second_name, self.work_array, self.shift, self.mask_store,
                 self.save_mask, self.call_out, self.method, self.swap, self.rebind, self.collect, self.bind_number,
                 self.call, self.call, self.split]
        if place.depth < 3:
            forms += [self.branch, self.branch]
            if place.loops < 2:
                forms += [self.for_, self.for_, self.rows, self.while_]
        if place.depth == 0:
            forms += [self.inner_function]
        elif not place.loops or self.chance(40):
            forms += [self.early_return]
        self.pick([form for form in forms if form.__name__ not in self.without])(place)

    def store(self, place: Place) -> None:
        text, shape = self.target(place)
        self.line(f"{text} = {self.bounded(place, shape)}")

    def step(self, place: Place, shape: Shape) -> str:
        """The right half of an augmented assignment."""
        x = self.number(place, shape, 1)
        return self.pick([f"+= {self.pick(FACTORS)} * np.sin({x})", f"-= {x}", f"+= {x}", f"*= {self.pick(FACTORS)}",
                          f"*= 0.8 + 0.3 * np.sin({x})", f"*= np.cos({x})", f"/= 1.5 + np.cos({x})", "/= 1.7",
                          f"-= {self.pick(FACTORS)}"])

    def augment(self, place: Place) -> None:
        """`a op= v` for a whole array, a view by name, or a number."""
        names = place.bindable()
        if place.scalars and self.chance(15):
            name = self.pick([name for name in place.scalars if name not in place.foreign] or [None])
            if name:
                return self.line(f"{name} {self.step(place, ())}")
        if not names:
            return self.augment_item(place)
        name = self.pick(names)
        self.line(f"{name} {self.step(place, place.arrays[name])}")

    def augment_item(self, place: Place) -> None:
        text, shape = self.target(place)
        self.line(f"{text} {self.step(place, shape)}")

    def bind_view(self, place: Place) -> None:
        text, shape = self.view(place)
        name = self.fresh("v")
        self.line(f"{name} = {text}")
        place.arrays[name] = shape
        if self.chance(50):
            self.line(f"{self.whole(name)} {self.step(place, shape)}")

    def whole(self, name: str) -> str:
        return self.pick([name, name, f"{name}[...]", f"{name}[:]"])

    def second_name(self, place: Place) -> None:
        old, shape = self.base(place)
        name = self.fresh("b")
        self.line(f"{name} = {old}")
        place.arrays[name] = shape

    def split(self, place: Place) -> None:
        even = [name for name, shape in place.arrays.items() if shape[0] % 2 == 0]
        if not even:
            return self.bind_view(place)
        name, first, second = self.pick(even), self.fresh("p"), self.fresh("q")
        shape = (place.arrays[name][0] // 2, *place.arrays[name][1:])
        self.line(f"{first}, {second} = np.split({name}, 2)")
        place.arrays |= {first: shape, second: shape}

    def work_array(self, place: Place) -> None:
        """A local array: of zeros, a copy, or empty and then written in full or used in part."""
        shape, name = self.pick([*place.arrays.values(), self.pick(COMMON)]), self.fresh("w")
        source = self.fitting(place, shape)
        like = [other for other, known in place.arrays.items() if known == shape]
        form = self.pick(["zeros", "zeros", "copy", "copy", "empty", "parts", "tail", "turned"])
        if form == "copy" and source:
            forms = [f"{source}.copy()", f"np.array({source})", f"{source} + 0.0", f"np.copy({source})"]
            self.line(f"{name} = {self.pick(forms)}")
        elif form == "empty":
            self.line(f"{name} = " + (f"np.empty_like({self.pick(like)})" if like and self.chance(50) else f"np.empty({shape})"))
            with self.indented(f"for {name}_i in range({shape[0]}):") if self.chance(50) else contextlib.nullcontext():
                looped = self.lines[-1].endswith(":")
                self.line(f"{name}[{f'{name}_i' if looped else self.pick([':', '...'])}] = "
                          + self.bounded(place, shape[1:] if looped else shape))
        elif form == "parts" and shape[0] > 1:
            self.line(f"{name} = np.empty({shape})")
            self.line(f"{name}[1:] = {self.bounded(place, (shape[0] - 1, *shape[1:]))}")
            self.line(f"{name}[0] = {self.bounded(place, shape[1:])}")
        elif form == "turned" and len(shape) == 2 and (source := self.fitting(place, shape[::-1])):       # column by column
            forms = [f"{source}.T * {self.scalar(place)}", f"np.array({source}.T)", f"np.copy(np.transpose({source}))",
                     f"np.zeros_like({source}.T)", f"np.asfortranarray(np.sin({source}.T))", f"np.sin({source}).T",
                     f"np.transpose({source})[:, [{', '.join(map(str, range(shape[1])))}]]"]
            self.line(f"{name} = {self.pick(forms)}")
        elif form == "tail":                                       # the last row is never written, nor read
            whole = self.fresh("e")
            self.line(f"{whole} = np.empty({(shape[0] + 1, *shape[1:])})")
            self.line(f"{name} = {whole}[:-1]")
            self.line(f"{name}[...] = {self.bounded(place, shape)}")
        else:
            forms = [f"np.zeros({shape})", f"np.ones({shape})", f"np.full({shape}, {self.scalar(place)})"]
            self.line(f"{name} = " + self.pick([*forms, *[f"np.zeros_like({other})" for other in like[:1]]]))
        place.arrays[name] = shape

    def shift(self, place: Place) -> None:
        """Source and target that overlap."""
        name, shape = self.base(place)
        size = shape[0]
        if size < 2:
            return self.augment_item(place)
        pairs = [("1:", ":-1"), (":-1", "1:"), ("::-1", ":"), ("...", "::-1")]
        if len(shape) == 2 and shape[1] > 1:
            pairs += [(":, 1:", ":, :-1"), (":, ::-1", ":")]
        left, right = self.pick(pairs)
        f = self.pick(FACTORS)
        self.line(f"{name}[{left}] " + self.pick([f"= {name}[{right}]", f"+= {name}[{right}]", f"*= {name}[{right}]",
                                                  f"-= {f} * {name}[{right}]", f"= np.sin({name}[{right}])",
                                                  f"= {f} * {name}[{right}] + {self.scalar(place)}"]))

    def save_mask(self, place: Place) -> None:
        name, shape = self.base(place)
        mask = self.fresh("m")
        self.line(f"{mask} = {name} {self.pick('<>')} {self.pick(THRESHOLDS)}")
        place.masks[mask] = shape

    def mask_store(self, place: Place) -> None:
        name, shape = self.base(place)
        mask, f = self.mask(place, shape), self.pick(FACTORS)
        partner = self.pick([other for other, known in place.arrays.items() if known == shape] or [name])
        self.line(self.pick([
            f"{name}[{mask}] = {self.pick([*FACTORS, '0.0'])}", f"{name}[{mask}] = {self.scalar(place)}", f"{name}[{mask}] *= {f}",
            f"{name}[{mask}] = np.sin({partner}[{mask}])", f"{name}[{mask}] += {partner}[{mask}]",
            f"{name}[{mask}] -= {self.scalar(place)}", f"np.copyto({name}, {self.number(place, shape, 1)}, where={mask})",
            f"np.multiply({partner}, {f}, out={name}, where={mask})"]))

    def out_place(self, place: Place) -> tuple[str, Shape]:
        """An array that a function may write to as a whole."""
        text, shape = self.base(place) if self.chance(55) else self.view(place)
        return text, shape

    def call_out(self, place: Place) -> None:
        text, shape = self.out_place(place)
        x, y = self.leaf(place, shape), self.number(place, shape, 1)
        forms = [f"np.multiply({x}, {y}, out={text})", f"np.add({x}, {y}, out={text})", f"np.sin({x}, out={text})",
                 f"np.tanh({text}, out={text})", f"np.subtract({text}, {y}, {text})", f"np.copyto({text}, {y})"]
        exact = self.fitting(place, shape)
        if exact and len(shape) == 1:
            forms += [f"np.cumsum({exact}, out={text})"]
        matrices = [name for name, known in place.arrays.items() if known == (3, 3)]
        if shape == (3,) and matrices and exact:
            forms += [f"np.dot({self.pick(matrices)}, np.sin({exact}), out={text})"]
        self.line(self.pick(forms))

    def method(self, place: Place) -> None:
        text, shape = self.out_place(place)
        forms = [f"{text}.fill({self.scalar(place)})", f"{text}.sort()", f"np.copyto({text}, {self.leaf(place, shape)})"]
        if len(shape) == 1:
            chosen = [self.rng.randrange(shape[0]) for _ in range(3)]
            where = self.rng.sample(range(shape[0]), self.rng.randrange(1, shape[0] + 1))
            forms += [f"np.add.at({text}, {chosen}, {self.number(place, (), 1)})",
                      f"np.add.at({text}, {chosen}, np.sin({self.fitting(place, (3,)) or self.scalar(place)}))",
                      f"np.subtract.at({text}, {chosen}, {self.pick(FACTORS)})",
                      f"np.put_along_axis({text}, np.array({where}), {self.number(place, (), 1)}, 0)",
                      f"np.put({text}, {where}, {self.number(place, (), 1)})"]
        else:
            column = [[self.rng.randrange(shape[1])] for _ in range(shape[0])]
            forms += [f"np.fill_diagonal({text}, {self.scalar(place)})", f"{text}.sort(axis=0)",
                      f"np.put_along_axis({text}, np.array({column}), {self.number(place, (), 1)}, 1)",
                      f"np.add.at({text}, ([0, 0], [-1, -1]), {self.scalar(place)})"]
        self.line(self.pick(forms))

    def swap(self, place: Place) -> None:
        names = place.bindable()
        pairs = [(a, b) for a in names for b in names if a < b and place.arrays[a] == place.arrays[b]]
        lists = [(name, keys) for name, (kind, keys, _) in place.items.items() if kind == "list" and len(keys) > 1]
        if lists and self.chance(40):
            name, keys = self.pick(lists)
            return self.line(f"{name}[{keys[0]}], {name}[{keys[-1]}] = {name}[{keys[-1]}], {name}[{keys[0]}]")
        if not pairs:
            return self.second_name(place)
        a, b = self.pick(pairs)
        self.line(f"{a}, {b} = {b}, {a}")

    def rebind(self, place: Place) -> None:
        """A name that exists gets another array of its shape: new, or one that has a name already."""
        names = place.bindable()
        if not names:
            return self.store(place)
        name = self.pick(names)
        shape = place.arrays[name]
        text = self.fitting(place, shape, views_only=True) or name
        self.line(f"{name} = " + self.pick([text, f"{self.pick(FACTORS)} * {text}", f"{text}.copy()",
                                            f"np.sin({text}) + {self.scalar(place)}"]))

    def bind_number(self, place: Place) -> None:
        name = self.fresh("r")
        self.line(f"{name} = {self.number(place, (), 1)}")
        place.scalars[name] = None

    def collect(self, place: Place) -> None:
        """A list, tuple or dict of arrays of one shape."""
        name = self.fresh("xs")
        shape = self.pick(list(place.arrays.values()))
        same = [other for other, known in place.arrays.items() if known == shape]
        texts = [self.pick([self.pick(same), self.pick(same), f"{self.pick(same)}.copy()", f"np.zeros({shape})"])
                 for _ in range(self.pick([2, 2, 3]))]
        kind = self.pick(["list", "list", "tuple", "dict"])
        keys = [f'"{key}"' for key in "pqr"] if kind == "dict" else ["0", "1", "2"]
        keys = keys[:len(texts)]
        if kind == "dict":
            self.line(f"{name} = {{{', '.join(f'{key}: {text}' for key, text in zip(keys, texts))}}}")
        else:
            self.line(f"{name} = {'[' if kind == 'list' else '('}{', '.join(texts)}{']' if kind == 'list' else ')'}")
        place.items[name] = (kind, keys, shape)
        if kind == "list" and self.chance(25):
            self.line(f"{name}.append({self.pick(same)})")
            place.items[name] = (kind, [*keys, str(len(keys))], shape)
        if kind != "dict" and self.chance(40):
            item, inner = self.fresh("x"), place.inner(loops=place.loops + 1)
            inner.arrays[item] = shape
            with self.indented(f"for {item} in {name}:"):
                self.line(f"{item}{self.pick(['', '[0]', '[:]'])} *= {self.pick(FACTORS)}")
                self.statements(inner, self.pick([0, 1]))
        elif self.chance(60):
            self.line(f"{name}[{self.pick(keys)}][{self.index(place, shape[0])}] {self.step(place, shape[1:])}")

    def call(self, place: Place) -> None:
        """A helper, called with arrays and views that it may change."""
        ready = []
        for name, helper in place.helpers.items():
            texts = [self.fitting(place, shape, views_only=True) for shape in helper.parameters]
            if None not in texts:
                ready.append((f"{name}({', '.join(map(str, texts))})", helper.result))
        if not ready:
            return self.augment_item(place)
        text, result = self.pick(ready)
        if result is None or self.chance(20):
            return self.line(text)
        name = self.fresh("h")
        self.line(f"{name} = {text}")
        if result == ():
            place.scalars[name] = None
        else:
            place.arrays[name] = result
            if self.chance(50):
                self.line(f"{self.whole(name)} {self.step(place, result)}")

    def inner_function(self, place: Place) -> None:
        """A function that stores into arrays of the function around it."""
        name = self.fresh("f")
        result = self.pick([None, None, ()])
        inner = place.inner(foreign=frozenset([*place.arrays, *place.scalars]), loops=0, result=result)
        shape = self.pick(list(place.arrays.values()))
        inner.arrays["u"] = shape
        with self.indented(f"def {name}(u):"):
            self.augment_item(inner)
            self.statements(inner, self.pick([0, 1]))
            if result is not None:
                self.return_(inner)
        place.helpers[name] = Helper((shape,), result)
        self.line(f"{name}({self.fitting(place, shape, views_only=True)})")

    # --- control flow

    def branch(self, place: Place) -> None:
        name = self.fresh("g") if self.chance(35) else None
        shape = self.pick(list(place.arrays.values()))
        arms = [f"if {self.condition(place)}:"]
        if self.chance(20):
            arms.append(f"elif {self.condition(place)}:")
        if name or self.chance(50):
            arms.append("else:")
        for arm in arms:
            inner = place.inner()
            with self.indented(arm):
                self.statements(inner, self.pick([1, 1, 2]))
                if name:
                    text = self.fitting(inner, shape, views_only=True) or f"np.zeros({shape})"
                    self.line(f"{name} = {self.pick([text, text, f'{text}.copy()'])}")
        if name:
            place.arrays[name] = shape
            self.line(f"{self.whole(name)} {self.step(place, shape)}")

    def early_return(self, place: Place) -> None:
        with self.indented(f"if {self.condition(place)}:"):
            if self.chance(40):
                self.augment_item(place.inner())
            self.return_(place)

    def body(self, inner: Place, count: int) -> None:
        self.statements(inner, count)
        if self.chance(15):
            with self.indented(f"if {self.condition(inner)}:"):
                if self.chance(40):
                    self.augment_item(inner.inner())
                self.line(self.pick(["break", "continue"]))
            self.augment_item(inner)

    def for_(self, place: Place) -> None:
        index, inner = self.fresh("i"), place.inner(loops=place.loops + 1)
        high = self.pick([2, 3, 2, 1, 4, 0])
        text = self.pick([f"range({high})", f"range({high})", "range(n)" if "n" in place.ints else f"range({high})",
                          f"range({high - 1}, -1, -1)", f"range(0, {high}, 2)"])
        name = self.pick(list(place.arrays))
        if self.chance(20):
            text, high = f"range(len({name}))", place.arrays[name][0]
        inner.ints[index] = 3 if text == "range(n)" else max(high, 1)
        with self.indented(f"for {index} in {text}:"):
            swaps = [(a, b) for a in inner.bindable() for b in inner.bindable()
                     if a < b and inner.arrays[a] == inner.arrays[b]]
            self.body(inner, self.pick([1, 2, 3]))
            if swaps and self.chance(30):
                a, b = self.pick(swaps)
                self.line(f"{a}, {b} = {b}, {a}")

    def rows(self, place: Place) -> None:
        """Iteration gives rows: views of a matrix (numbers of a vector)."""
        matrices = [name for name, shape in place.arrays.items() if len(shape) == 2]
        if not matrices:
            return self.for_(place)
        name, row, inner = self.pick(matrices), self.fresh("row"), place.inner(loops=place.loops + 1)
        shape, other = place.arrays[name], self.pick(matrices)
        form = self.pick(["plain", "plain", "enumerate", "zip", "reversed", "transposed"])
        header = {"plain": f"{row} in {name}", "enumerate": f"{row}_i, {row} in enumerate({name})",
                  "zip": f"{row}, {row}_z in zip({name}, {other})", "reversed": f"{row} in {name}[::-1]",
                  "transposed": f"{row} in {name}.T"}[form]
        inner.arrays[row] = shape[:1] if form == "transposed" else shape[1:]
        if form == "enumerate":
            inner.ints[f"{row}_i"] = shape[0]
        if form == "zip":
            inner.arrays[f"{row}_z"] = place.arrays[other][1:]
        with self.indented(f"for {header}:"):
            self.line(f"{self.pick([row, row, row + '[:]', row + '[-1]'])} "
                      + self.step(inner, ()))
            self.body(inner, self.pick([0, 1, 1]))

    def while_(self, place: Place) -> None:
        count, inner = self.fresh("k"), place.inner(loops=place.loops + 1)
        trips = self.pick([1, 2, 3, 0])
        self.line(f"{count} = 0")
        header = f"while {count} < {trips}" + ("" if self.chance(50) else f" and {self.condition(place)}")
        inner.ints[count] = trips + 1
        with self.indented(f"{header}:"):
            self.line(f"{count} += 1")
            self.body(inner, self.pick([1, 2]))
