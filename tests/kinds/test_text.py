"""Numbers told as text: printed, logged, written; never read again, wherever the text is held meanwhile.

`t`: text in names, containers, objects and exceptions; `u`: in streams, files and the environment; `o`: output alone, which stays
allowed.
"""
from __future__ import annotations

import ast
import collections
import contextlib
import csv
import decimal
import fractions
import io
import json
import logging
import os
import pathlib
import pickle
import re
import string
import struct
import sys
import tempfile
import time
import warnings

import numpy as np
import pytest

from tests.kinds.outcomes import outcome

PATH = os.path.join(tempfile.gettempdir(), "sourcegrad_kinds.txt")
LINES = []


class Log:
    def __init__(self): self.lines = []
    def write(self, s): self.lines.append(s)


class Holder:
    def __init__(self, x): self.text = str(x)
    @property
    def number(self): return float(self.text)


def t1(x): return float(str(x)) * x


def t2(x): return float(re.match(r"[\d.]+", str(x)).group(0)) * x


def t3(x): return float(re.findall(r"[\d.]+", str(x))[0]) * x


def t4(x): return float(re.sub("a", "", f"{x}")) * x


def t5(x): return float(str(x).encode().decode()) * x


def t6(x): return float(str(x).encode()) * x


def t7(x): return float(decimal.Decimal(str(x))) * x


def t8(x): return float(fractions.Fraction(str(x))) * x


def t9(x): return json.loads(json.dumps(x)) * x


def t10(x): return json.loads(str(x)) * x


def t11(x): return ast.literal_eval(str(x)) * x


def t12(x): return pickle.loads(pickle.dumps(x)) * x


def t13(x): return struct.unpack("d", struct.pack("d", x))[0] * x


def t14(x): return np.fromstring(str(x), sep=" ")[0] * x


def t15(x): return np.frombuffer(struct.pack("d", x))[0] * x


def t16(x): return float(np.array2string(np.array(x))) * x


def t17(x): return float(np.format_float_positional(x)) * x


def t18(x): return np.array([str(x)]).astype(float)[0] * x


def t19(x): return Holder(x).number * x


def t20(x):
    try: raise ValueError(str(x))
    except ValueError as e: return float(str(e)) * x


def t21(x):
    try: raise ValueError(x)
    except ValueError as e: return e.args[0] * x


def t22(x):
    d = {"a": str(x)}
    return float(d["a"]) * x


def t23(x): return float(" ".join([str(x), "1"]).split()[0]) * x


def t24(x): return float("%.17g" % x) * x


def t25(x): return float("{:.17g}".format(x)) * x


def t26(x): return float(format(x, ".17g")) * x


def t27(x): return float(string.Template("$v").substitute(v=x)) * x


def t28(x): return float.fromhex(float(x).hex()) * x


def t29(x):
    LINES.append(str(x))
    return float(LINES[-1]) * x


def t30(x):
    s = collections.deque([str(x)])
    return float(s.popleft()) * x


def t31(x): return sum(int(c) for c in str(x) if c.isdigit()) * x


def t32(x):
    p, q = str(x).split(".")
    return (int(p) + int(q) / 10) * x


def t33(x): return float(max([str(x), "0"])) * x


def t34(x): return float(repr([x])[1:-1]) * x


def t35(x): return complex(str(x)).real * x


def t36(x): return np.float64(str(x)) * x


def t38(x): return float(str(np.array([x]))[1:-1]) * x


def t39(x): return eval(str(x)) * x


def t40(x): return float(next(iter({str(x)}))) * x


def t41(x): return float(list({str(x): 1})[0]) * x


def t42(x): return float(bytearray(str(x), "ascii").decode()) * x


def t43(x): return x.as_integer_ratio()[0] / x.as_integer_ratio()[1] * x


def t44(x): return float((lambda s: s)(str(x))) * x


def t45(x): return float(sorted([str(x)])[0]) * x


def t46(x): return float(str(x) or "1") * x


def t47(x): return float([s for s in [str(x)]][0]) * x


def t48(x): return float(np.loadtxt([str(x)])) * x


def t50(x): return float(dict(a=str(x)).get("a")) * x


# --- streams and files


def u1(x):
    b = io.StringIO(); print(float(x), file=b); return float(b.getvalue()) * x


def u2(x):
    b = io.StringIO(); b.write(str(x)); return float(b.getvalue()) * x


def u3(x):
    b = io.StringIO()
    with contextlib.redirect_stdout(b): print(x)
    return float(b.getvalue()) * x


def u4(x):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always"); warnings.warn(str(x))
    return float(str(w[0].message)) * x


def u5(x):
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/v", "w") as f: f.write(repr(float(x)))
        with open(d + "/v") as f: return float(f.read()) * x


def u6(x):
    os.environ["V_SG"] = str(float(x)); return float(os.environ["V_SG"]) * x


def u7(x):
    b = io.StringIO(); old = sys.stdout
    sys.stdout = b; print(x); sys.stdout = old
    return float(b.getvalue()) * x


def u8(x):
    L = Log(); print(x, file=L); return float(L.lines[0]) * x


def u9(x):
    b = io.StringIO(); csv.writer(b).writerow([x]); return float(b.getvalue()) * x


def u10(x):
    b = io.StringIO(f"{x!r} 2.0"); return float(b.readline().split()[0]) * x


def u11(x):
    b = io.StringIO(); b.write(repr(x)); b.seek(0); return float(b.read()) * x


def u12(x):
    b = io.BytesIO(); b.write(np.float64(x).tobytes()); b.seek(0); return np.frombuffer(b.read())[0] * x


def u13(x):
    with open(PATH, "w") as f: f.write(f"{x:.17g}\n")
    v = [float(l) for l in open(PATH)]
    return v[0] * x


def u14(x):
    with open(PATH, "w") as f: print(x, file=f)
    return float(np.loadtxt(PATH)) * x


def u15(x):
    with open(PATH, "w") as f: print(x, file=f)
    return float(np.genfromtxt(PATH)) * x


def u16(x):
    np.savetxt(PATH, [x])
    return float(np.loadtxt(PATH)) * x


def u17(x):
    np.save(PATH + ".npy", np.array(x))
    return float(np.load(PATH + ".npy")) * x


def u18(x):
    b = bytearray(); b.extend(str(x).encode()); return float(b.decode()) * x


def save(x):
    with open(PATH, "w") as f: f.write(str(float(x)))


def load():
    with open(PATH) as f: return float(f.read())


def u19(x):
    save(x)
    return load() * x


def u20(x):
    b = io.StringIO(); b.write(str(x)); b.seek(0)
    for line in b: return float(line) * x


def u21(x):
    b = io.StringIO(); b.writelines([str(x)])
    return float(b.getvalue()) * x


def u22(x):
    b = io.StringIO()
    h = logging.StreamHandler(b); log = logging.getLogger("sg_kinds"); log.addHandler(h)
    log.warning("%s", float(x)); log.removeHandler(h)
    return float(b.getvalue()) * x


def u23(x):
    pathlib.Path(PATH).write_text(str(x))
    return float(pathlib.Path(PATH).read_text()) * x


def u24(x):
    with open(PATH, "w") as f: json.dump({"x": float(x)}, f)
    with open(PATH) as f: return json.load(f)["x"] * x


def u25(x):
    with tempfile.TemporaryFile("w+") as f:
        f.write(str(x)); f.seek(0)
        return float(f.read()) * x


def u26(x):
    b = io.StringIO()
    w = b.write
    w(str(x))
    return float(b.getvalue()) * x


def u27(x):
    b = io.StringIO()
    out = lambda v: print(v, file=b)
    out(x)
    return float(b.getvalue()) * x


def u28(x):
    np.array([x]).tofile(PATH)
    return np.fromfile(PATH)[0] * x


def u29(x):
    b = io.StringIO(); np.savetxt(b, np.array([x])); return float(b.getvalue()) * x


def u30(x):
    b = io.StringIO()
    print("value", x, file=b)
    return float(b.getvalue().split()[1]) * x


# --- output alone


def o1(x): print("x", x, file=sys.stderr); return x * x


def o2(x): logging.getLogger("sg_kinds").debug("x %s", x); return x * x


def o3(x):
    if x < 0: raise ValueError(f"negative {x}")
    return x * x


def o4(x):
    with open(os.devnull, "w") as f: f.write(f"{x}\n")
    return x * x


def o5(x):
    text = f"{x:.3f}"
    label = text + " m"
    print(label, file=sys.stderr)
    return x * x


def o6(x): sys.stderr.write(f"{x}\n"); return x * x


def o7(x):
    n = len(str(int(x)))
    return x * x * n


def o8(x):
    b = io.StringIO(); print("hello", file=b)
    return x * x * len(b.getvalue())


def o9(x):
    scale = float(io.StringIO("2.5").read())
    return scale * x * x


def o10(x):
    b = io.StringIO(); print(x, file=b)
    return x * x


def o11(x): return x * x * float("2.5")


def o12(x): print(x, end=""); return x * x


log = logging.getLogger("sg_kinds2")


def o13(x): log.info("x %s", x); return x * x


def o14(x): log.info(f"x {x}"); return x * x


def o15(x): logging.info("x %s", x); return x * x


def o16(x): warnings.warn(f"x {x}", stacklevel=2); return x * x


class M:
    def __init__(self): self.log = logging.getLogger("m"); self.k = 2.0
    def f(self, x):
        self.log.info("x is %s", x)
        return self.k * x * x


def o17(x): return M().f(x)


m = M()


def o18(x): return m.f(x)


def o19(x):
    t0 = time.time(); y = x * x
    print("took", time.time() - t0, y)
    return y


def siblings(sort):
    return [f for name, f in list(globals().items()) if name[0] in sort and name[1:].isdigit()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", siblings("tu"), ids=lambda f: f.__name__)
def test_what_is_told_is_not_read(f):
    assert outcome(f, 1.3) == "refused"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", siblings("o"), ids=lambda f: f.__name__)
def test_output_alone(f, capsys):
    assert outcome(f, 1.3) == "right"
