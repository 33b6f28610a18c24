"""Random programs in which views of arrays that objects hold are kept, changed, stored, passed on and returned.

`python -m tests.programs.view_generator --count N --seed S [--order 2] [--show]`, as `place_generator`."""
from __future__ import annotations

from tests.programs.array_generator import HEAD, ArrayWriter
from tests.programs.place_generator import main

MORE = HEAD + '''
import copy


def part(o, k):
    return o.m[k]


def turned(o):
    return o.m.T


def put(v, h):
    v[0] = v[-1] * h + 0.1


def keep_and_change(o, v, h):
    o.w = v
    v[1] = h * v[0]


def halves(v):
    return v[:2], v[1:]


'''


class ViewWriter(ArrayWriter):
    def text(self) -> str:
        return super().text().replace(HEAD, MORE)

    def array(self) -> str:
        made = "".join(line for line in self.lines if line.startswith("    view"))
        views = [f"view{j}" for j in range(3) if f"view{j} = " in made]
        return self.r.choice(views) if views and self.r.random() < 0.4 else super().array()

    def view(self) -> str:
        """An expression that is a view of three elements (two for a column)."""
        r = self.r
        return r.choice([f"{self.place()}.m[{r.choice([0, 1, -1])}]", f"part({self.place()}, {r.choice([0, 1])})",
                         f"{self.place()}.m.T[:, {r.choice([0, 1])}]", f"turned({self.place()})[:, 1]",
                         f"{self.place()}.m.ravel()[{r.choice(['1:4', ':3', '::2'])}]", f"{self.array()}[::-1]",
                         f"{self.place()}.m.reshape(3, 2)[:, 0]", f"np.asarray({self.array()})", f"{self.place()}.m[0, :]",
                         f"np.transpose({self.place()}.m)[:, 0]", f"np.flip({self.array()})"])

    def statement(self) -> None:
        choice, r = self.r.randint(0, 17), self.r
        op = r.choice(["=", "+=", "*=", "-="])
        if choice > 12:
            super().statement()
        elif choice == 12:
            place = self.place()
            self.line(r.choice([f"{self.name()} = copy.deepcopy({place})", f"{self.name()} = copy.copy({place})",
                                f"objs.append(copy.deepcopy({place}))", f"objs = copy.deepcopy(objs + [{place}])"]))
        elif choice < 3 and self.inside == 0:
            self.line(f"view{r.randint(0, 2)} = {self.view()}")
        elif choice == 3:
            self.line(f"{self.array()}[{r.choice(['0', '-1', '1:', '::2', ':'])}] {op} {self.number()} * 0.5")
        elif choice == 4:
            given = r.choice([self.view(), self.array(), self.new()])
            self.line(r.choice(["put(", f"keep_and_change({self.place()}, "]) + f"{given}, {self.number()})")
        elif choice == 5:
            self.line(f"{self.place()}.{r.choice('vw')} = {self.view()}")
        elif choice == 6:
            self.line(f"keep({self.place()}, {self.view()})")
        elif choice == 7:
            self.line(f"for row in {self.place()}.m:")
            self.line(r.choice(["    row *= 0.5", f"    row[0] = {self.number()}", f"    row += {self.array()} * 0.1",
                                "    total = total + row[1] * x[0]", f"    {self.place()}.w = row"]))
        elif choice == 8:
            self.line(f"rows = [{self.view()}, {self.view()}]")
            self.line(r.choice([f"rows[0][:] = {self.number()}", "rows[1] *= 0.9", f"{self.place()}.m *= 0.5",
                                "put(rows[0], 0.3)"]))
            self.line("total = total + rows[1][0] * rows[0][-1]")
        elif choice == 9:
            self.line(f"head, tail = halves({r.choice([self.view(), self.array()])})")
            self.line(r.choice(["tail[0] *= 0.7", f"{self.array()}[1] = {self.number()}", "head += 0.2"]))
            self.line("total = total + head[1] * tail[0]")
        elif choice == 10:
            self.line(f"a, b, c = np.split({self.place()}.m, 3, axis=1)")
            self.line(r.choice([f"b[0] {op} {self.number()}", f"{self.place()}.m[1] *= 0.8", "put(c[:, 0], 0.5)"]))
            self.line("total = total + np.sum(a * c) + b[1, 0]")
        else:
            self.line(f"total = total + squares({self.view()}) * 0.3")


if __name__ == "__main__":
    main(ViewWriter)
