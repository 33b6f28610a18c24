"""Real and complex numbers in one name, container or formula: the adjoint of what is real is real.

Most of these were silently wrong once, as an imaginary part of an adjoint got into the derivative of what makes real numbers of
complex ones (abs, angle, real).
"""

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
trapezoid = getattr(np, "trapezoid", None) or np.trapz                # (its name before NumPy 2)
case = PROGRAMS.with_arguments(np.array([0.7, 0.5]))
with_matrix = PROGRAMS.with_arguments(np.random.default_rng(0).standard_normal(18) * 0.6)


# --- names and containers of real numbers that turn complex


@case
def real_before_a_loop(x, n=3):
    z = x + 1j * x**2
    psi = np.abs(z)
    for _ in range(n):
        psi = psi * (1 + 1j * x)
    return np.sum(psi**2).real


@case
def real_before_a_branch(x, n=3):
    z = x + 1j * x**2
    a = np.abs(z)
    psi = a
    if n > 2:
        psi = psi * (1 + 1j * x)
    return np.sum(psi**2).real


@case
def one_of_two(x, n=3):
    z = x + 1j * x**2
    a = np.abs(z)
    b = a * 2
    psi = b if n < 2 else 1j * b * x
    return np.sum(psi**3 * (1 + 2j)).real


@case
def single_number(x, n=3):
    z = x[0] + 1j * x[1] ** 2
    a = abs(z)
    psi = a
    for k in range(n):
        psi = psi * (1 + 1j * x[0])
    return (psi**3 * (1 + 2j)).real


@case
def appended(x, n=3):
    z = x + 1j * x**2
    a = np.abs(z)
    l = [a]
    for k in range(n):
        l.append(l[-1] * (1 + 1j * x))
    return np.sum(l[-1] ** 3 * (1 + 2j)).real


@case
def list_of_both(x, n=3):
    z = x + 1j * x**2
    a = np.abs(z)
    l = [a, a * (2 + 1j * x)]
    s = 0.0
    for v in l:
        s = s + np.sum(v**3 * (1 + 2j))
    return s.real


@case
def dict_of_both(x, n=3):
    z = x + 1j * x**2
    a = np.abs(z)
    d = {"a": a, "b": a * (2 + 1j * x)}
    s = 0.0
    for k, v in d.items():
        s = s + np.sum(v**3 * (1 + 2j))
    return s.real


@case
def transfer_matrix(x):
    z = x + 1j * x**2
    a = np.abs(z)
    M = np.eye(2) * a
    for k in range(2):
        M = M @ np.array([[a[0], 1j * x[1]], [1j * x[1], a[0]]])
    return np.abs(M[0, 0] + 0.3 * M[0, 1]) ** 2


@case
def real_if_close_times(x):
    z = x + 1j * x**2
    a = np.abs(z)
    return np.sum(np.real_if_close(a * 1.0) * z).real


@case
def angle_in_degrees(x):
    z = x + 1j * x**2
    a = np.std(z)
    return a**2 * np.sum(np.angle(z, deg=True))


@case
def matrix_of_scaled(x):
    z = x + 1j * x**2
    M = np.eye(2)
    for k in range(2):
        M = M @ (np.abs(z) * np.array([[1, 1j], [1j, 2]]))
    a = np.abs(M[0, 0])
    s = a * z[0] + M[1, 1] * a
    return np.abs(s) ** 2


@case
def real_if_close_of_real(x):
    z = x + 1j * x**2
    x2 = x * np.abs(z)
    return np.sum(np.real_if_close(x2)) + np.real(np.sum(z * x2))


@case
def real_if_close_of_complex(x):
    z = x + 1j * x**2
    q = np.abs(z) + 0j
    r = np.real_if_close(q)
    return np.abs(np.sum(r * z))


@case
def deviation(x):
    z = x + 1j * x**2
    psi = z.std()
    for k in range(2):
        psi = psi * (1 + 1j * x[0])
    return abs(psi) ** 2


@case
def norm(x):
    z = x + 1j * x**2
    psi = np.linalg.norm(z)
    for k in range(2):
        psi = psi * (1 + 1j * x[0])
    return (psi**3).real


@case
def singular_values(x):
    psi = np.linalg.svd(np.outer(x, x) + 1j * np.eye(2))[1]
    for k in range(2):
        psi = psi * (1 + 1j * x[0])
    return np.sum(psi**3).real


@case
def eigenvalues(x):
    w, v = np.linalg.eigh(np.outer(x, x) + np.array([[0, 1j], [-1j, 0.5]]))
    psi = w
    for k in range(2):
        psi = psi * (1 + 1j * x[0])
    return np.sum(psi**3).real


class S:
    def __init__(s, x):
        s.psi = np.abs(x + 1j * x**2)

    def step(s, x):
        s.psi = s.psi * (1 + 1j * x)


@case
def attribute(x):
    s = S(x)
    for k in range(2):
        s.step(x)
    return np.sum(s.psi**3).real


def stepf(p, x, k):
    if k > 0:
        p = p * (1 + 1j * x)
    return p


@case
def by_a_function(x):
    p = np.abs(x + 1j * x**2)
    p = stepf(p, x, 0)
    p = stepf(p, x, 1)
    p = stepf(p, x, 1)
    return np.sum(p**3).real


@case
def two_names(x):
    p = np.abs(x + 1j * x**2)
    a, b = p, p * 1j
    for k in range(3):
        a, b = b * x, a + b
    return np.sum(a**3 + b**2).real


@case
def fourier_steps(x):
    p = np.zeros(2)
    q = np.abs(x + 1j * x**2)
    p = p + q
    for k in range(3):
        p = np.fft.ifft(np.fft.fft(p) * np.exp(1j * x))
    return np.sum(np.abs(p) ** 4)


@case
def history(x):
    q = np.abs(x + 1j * x**2)
    h = []
    p = q
    for k in range(3):
        h.append(p)
        p = p * np.exp(1j * x * k)
    return np.sum(np.abs(np.array(h).sum(0) + x) ** 4)


@case
def popped(x):
    q = np.abs(x + 1j * x**2)
    p = [q]
    while len(p) < 4:
        v = p.pop()
        p.append(v * 1j)
        p.append(v * x)
    return np.sum(np.abs(p[0] + p[1] * p[2]) ** 3)


@case
def unpacked_pair(x):
    u = np.abs(x + 1j * x**2)
    P = (u, u * x)
    a, b = P
    for k in range(2):
        a = a * 1j * x
        b = b + a
    return np.sum(a**3 + b**2).real


@case
def unpacked_array(x):
    u = np.abs(x + 1j * x**2)
    a, b = u
    for k in range(2):
        a = a * 1j * x[0]
        b = b + a
    return (a**3 + b**2).real


@case
def popped_item(x):
    u = np.abs(x + 1j * x**2)
    l = [u, u * x]
    v = l.pop()
    for k in range(2):
        v = v * (1j + x)
    return np.sum(v**3 + l[0]).real


@case
def list_by_another_name(x):
    u = np.abs(x + 1j * x**2)
    l = [u, u * x]
    m = l
    for k in range(2):
        m = [m[0] * (1 + 1j * x), m[1]]
    return np.sum(m[0] ** 3 * m[1] + l[0]).real


@case
def tuple_by_another_name(x):
    u = np.abs(x + 1j * x**2)
    l = (u, u * x)
    m = l
    for k in range(2):
        m = (m[0] * (1 + 1j * x), m[1])
    return np.sum(m[0] ** 3 * m[1] + l[0]).real


def cal(p, x):
    for k in range(2):
        p = (p[0] * (1 + 1j * x), p[1])
    return p[0] + p[1]


@case
def tuple_of_an_argument(x):
    u = np.abs(x + 1j * x**2)
    return np.sum(cal((u, u * 2), x) ** 3).real


def cal2(p, x):
    for k in range(2):
        p = p * (1 + 1j * x)
    return p


@case
def argument(x):
    u = np.abs(x + 1j * x**2)
    return np.sum(cal2(u, x) ** 3).real


@case
def entry_of_a_dict(x):
    u = np.abs(x + 1j * x**2)
    d = {"a": u, "b": u * 2}
    for k in range(2):
        d["a"] = d["a"] * (1 + 1j * x)
    return np.sum(d["a"] ** 3 * d["b"]).real


@case
def sum_that_turns_complex(x):
    a = np.zeros(2)
    b = np.abs(x + 1j * x**2)
    for k in range(2):
        a = a + b
        b = b * (1j + x)
    return np.sum(a**3).real


# --- functions of real and complex operands


def as_matrix(x):
    return (x[:9] + 1j * x[9:]).reshape(3, 3)


@with_matrix
def dtype_of_another(x):
    Z = as_matrix(x)
    v = Z.real[0]
    z = Z[1]
    out = np.zeros(3, dtype=z.dtype)
    out[:] = v
    out[1] = z[0]
    r = np.abs(out)
    return np.abs(np.sum(r * z))


@with_matrix
def loop_over_both(x):
    Z = as_matrix(x)
    v = Z.real[0]
    z = Z[1]
    t = 0.0
    for q in (v, z):
        t = t + np.abs(np.sum(q.real * np.exp(1j * v)))
    return t


@with_matrix
def stacked(x):
    Z = as_matrix(x)
    v = Z.real[0]
    z = Z[1]
    q = np.stack([v, z])
    return np.abs(np.sum(np.abs(q)[1] * z))


@with_matrix
def concatenated(x):
    Z = as_matrix(x)
    v = Z.real[0]
    z = Z[1]
    q = np.concatenate([v, z])
    return np.abs(np.sum(np.abs(q)[:3] * z * q[3:]))


@with_matrix
def eigenvalues_of_a_real_matrix(x):
    A = x[:9].reshape(3, 3)
    w, U = np.linalg.eig(A + np.diag([1, 3.0, 5]))
    return np.abs(np.sum(np.abs(w) * w * np.exp(1j * w)))


@with_matrix
def trapezoids(x):
    Z = as_matrix(x)
    return np.abs(trapezoid(Z[0], Z.real[1]))


@with_matrix
def tensordot_of_both(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.tensordot(Z.real, Z, axes=([0, 1], [1, 0])) * Z.imag))


@with_matrix
def chain_of_products(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.linalg.multi_dot([Z.real, Z, Z])))


@with_matrix
def least_squares_of_a_real_matrix(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.linalg.lstsq(Z.real[:, :2], Z[1], rcond=None)[0]))


@with_matrix
def least_squares_of_a_real_side(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.linalg.lstsq(Z[:, :2], Z.real[1], rcond=None)[0]))


@with_matrix
def least_squares(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.linalg.lstsq(Z[:, :2], Z[2], rcond=None)[0]))


@with_matrix
def einsum_of_both(x):
    z = as_matrix(x)[0]
    return np.abs(np.einsum("i,i->", np.abs(z), z))


@with_matrix
def cross_of_both(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.cross(Z.real[0], Z[1]) * Z.real[2]))


@with_matrix
def polynomial_at_real_points(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.polyval(Z[0], Z.real[1])))


@with_matrix
def line_between_both(x):
    Z = as_matrix(x)
    return np.abs(np.sum(np.linspace(Z[0, 0], Z.real[1, 1], 3) * Z.imag[0]))


@with_matrix
def sum_from_zero(x):
    Z = as_matrix(x)
    z = Z[0]
    v = Z.real[1]
    q = 0
    for k in range(2):
        q += v[k] * z[k] * abs(q + 1)
    return abs(q)


@with_matrix
def angles_and_products(x):
    Z = as_matrix(x)
    z = Z[0]
    v = Z.real[1]
    x2 = v * np.abs(z)
    return np.real(np.sum(z * x2)) + np.sum(np.angle(z, deg=True))


@with_matrix
def angles_and_deviation(x):
    z = as_matrix(x)[0]
    return np.sum(np.angle(z, deg=True)) + np.std(z) ** 3


class Held:
    def __init__(s, v):
        s.q = v


@with_matrix
def attribute_that_turns_complex(x):
    Z = as_matrix(x)
    z = Z[0]
    v = Z.real[1]
    a = Held(v)
    r = np.abs(a.q)
    a.q = a.q * z
    return np.abs(np.sum(r * a.q * np.abs(a.q)))


def recursive(v, z, n):
    if n == 0:
        return np.ones(3) * v
    return np.abs(recursive(v, z, n - 1)) * z


@with_matrix
def recursion_to_real_ones(x):
    Z = as_matrix(x)
    z = Z[0]
    v = Z.real[1]
    return np.abs(np.sum(recursive(v, z, 2)))


@with_matrix
def complex_weights(x):
    z, w, _ = as_matrix(x)
    return np.abs(np.average(z, weights=w))


@with_matrix
def complex_steps(x):
    z, w, _ = as_matrix(x)
    return np.abs(trapezoid(z, x=w))


@with_matrix
def einsum_of_three(x):
    z = as_matrix(x)[0]
    a = np.abs(z)
    return np.abs(np.einsum("i,j,ij->", a, z, np.outer(z, a)))


@with_matrix
def selected(x):
    z, y, _ = as_matrix(x)
    return np.abs(np.sum(np.select([z.real > 0.5, z.real <= 0.5], [z, y]) ** 2))


@with_matrix
def fitted(x):
    z, y, _ = as_matrix(x)
    return np.abs(np.sum(np.polyfit(np.array([0.0, 1.0, 2.0]), z, 1) * np.abs(y)[0]))


@with_matrix
def chosen(x):
    z, y, _ = as_matrix(x)
    return np.abs(np.sum(np.choose([0, 1, 0], [z.real, y]) * z))


@with_matrix
def blocks(x):
    z, y, _ = as_matrix(x)
    return np.abs(np.sum(np.block([[z.real, y], [y, np.abs(z)]]) ** 2 * np.concatenate([z, y])))


@with_matrix
def rows_of_products(x, w=0.7, n=2):
    v = x[:3]
    z = np.zeros(3)
    for i in range(n):
        z = np.outer(v, z)[1] * 0.3 + v * z
        z = z + 1j * w * v
    return np.sum(z**2).real


# --- second derivatives with stores and branches

@case
def stored_and_replaced_in_a_branch(x):
    v = (x + 1j * x[::-1] ** 2) * x
    v[0] = v[0] * v[1]
    if x[0] > 9:
        v = x * 2
    return np.sum(np.abs(v) ** 2)


@case
def item_replaced_by_its_imaginary_part(x):
    z = x + 1j * x[::-1] ** 2
    v = np.zeros(2, dtype=complex) + x
    v[0] = v[0] * z[1]
    w = x @ v * x / 3
    items = [w, z]
    items[0] = w.imag
    return np.sum(np.abs(items[0]) ** 2)


@case
def pairs_of_a_zip(x):
    u = np.abs(x + 1j * x ** 2)
    s = 0
    for a, b in zip(u, [u[0] * 1j, u[1]]):
        s += a * b * abs(b)
    return abs(s) ** 2


class Both:
    def __init__(self, x):
        self.z = x + 1j * x ** 2
        self.a = np.abs(self.z)


@case
def object_of_both(x):
    both = Both(x)
    for _ in range(2):
        both.a = both.a * both.z
        both.z = both.z * np.abs(both.a)
    return np.sum(np.abs(both.a) ** 2 + both.z.real)


@case
def popped_and_scaled_in_a_loop(x):
    a = np.linalg.norm(x) * x
    b = np.array([a[0], x[1]])
    items = [x, a, b * np.exp(1j * x)]
    c = items.pop()
    for _ in range(1):
        a = np.linalg.norm(x) * c
    d = c * np.exp(1j * a.real)
    return np.sum(np.abs(b) ** 2) + np.sum(np.abs(d) ** 2)


@case
def sums_of_lists_of_both(x):
    z = x + 1j * x[::-1] ** 2
    v = sum([z, x]) * 1.0
    v[0] = v[0] * z[1]
    w = sum([z, x * np.exp(1j * v.real)])
    return np.sum(np.abs(w) ** 2)


@case
def sum_that_a_branch_makes_real(x):
    z = x + 1j * x[::-1] ** 2
    u = sum([z, x, x * (1 + 0.5j)])
    w = np.conj(u) * x
    v = np.zeros(2, dtype=complex) + w
    v[0] = v[0] * z[1]
    if x[0] > 9:
        u = np.abs(w) + 0.3
    return np.sum(np.abs(sum([z, u, x * np.exp(1j * v.real)])) ** 2)


class Cell:
    def __init__(self, a):
        self.a = a


class OtherCell(Cell):
    pass


@case
def objects_of_two_classes_backwards(x):
    cells = [Cell(x), OtherCell(x * 2)]
    first = cells[0]
    for q in cells[::-1]:
        q.a = q.a * np.exp(1j * x)
    cells[1].a *= 2
    return np.sum(np.abs(first.a + cells[1].a) ** 2)
