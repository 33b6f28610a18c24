"""Functions of scipy.special: derivatives far out and near points that formulas do not like, options, and what is refused."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

sp = pytest.importorskip("scipy.special")
X = np.array([0.3, 0.8, 1.7])

FAR = {  # (where, the derivative, by central differences of 60 digits)
    "erfcx": (lambda x: sp.erfcx(x), [
        (-5.0, -1440097986747.7388), (0.0, -1.1283791670955126), (19.9, -0.0014193225647191464), (20.1,
        -0.0013913213114440525), (1000.0, -5.641887372654967e-07), (100000000.0, -5.641895835477562e-17)]),
    "dawsn": (lambda x: sp.dawsn(x), [
        (1e-08, 0.9999999999999998), (-3.0, -0.06962618366334973), (19.9, -0.0012674072739076022), (-20.1,
        -0.001242216721389974), (1000.0, -5.00000750001875e-07), (1000000.0, -5.0000000000075e-13)]),
    "log_ndtr": (lambda x: sp.log_ndtr(x), [
        (-10000.0, 10000.000099999997), (-40.0, 40.02496884720726), (0.0, 0.7978845608028654), (5.0, 1.4867199409049056e-06),
        (10.0, 7.694598626706419e-23)]),
    "exprel": (lambda x: sp.exprel(x), [
        (1e-09, 0.5000000003333334), (-10000.0, 1e-08), (600.0, 6.277886556269539e+257), (-0.001, 0.49966679163334027)]),
    "i0e": (lambda x: sp.i0e(x), [
        (1e-05, -0.9999850001249992), (-30.0, 0.0012296158835897392), (150.0, -0.000108851495069107), (199.0,
        -7.119048575074719e-05), (201.0, -7.012926379502356e-05), (10000.0, -1.9947862106984187e-07), (-1000000.0,
        1.9947121500246404e-10)]),
    "i1e": (lambda x: sp.i1e(x), [
        (1e-05, 0.49999000009374944), (-30.0, -0.0011675951363651794), (150.0, -0.00010776114752321928), (399.0,
        -2.495702848398227e-05), (401.0, -2.4770900786410816e-05), (1000000.0, -1.9947091579556673e-10)]),
    "k0e": (lambda x: sp.k0e(x), [
        (1e-05, -99989.37097108502), (30.0, -0.003767463761458072), (199.0, -0.00022281016321731986), (201.0,
        -0.0002194970097024249), (1000000.0, -6.266568336615697e-10)]),
    "k1e": (lambda x: sp.k1e(x), [
        (1e-05, -10000000005.064539), (30.0, -0.003954340551132322), (399.0, -7.884820332664613e-05), (401.0,
        -7.82579580612854e-05), (1000000.0, -6.266577736465852e-10)]),
    "ive": (lambda x: sp.ive(2, x), [
        (0.01, 0.002462790110590318), (30.0, -0.000991962139835066), (999.0, -6.2817604589545494e-06), (1001.0,
        -6.263014164436811e-06), (1000000.0, -1.9947001817637086e-10)]),
    "kve": (lambda x: sp.kve(2.5, x), [
        (0.01, -94563178.31752315), (30.0, -0.005021389402516511), (1449.0, -1.1431930794055407e-05), (1451.0,
        -1.140820568192386e-05), (1000000.0, -6.266627085807679e-10)]),
    "ellipk": (lambda x: sp.ellipk(x), [
        (-10000.0, 2.495557609890952e-06), (1e-09, 0.39269908214051064), (0.5, 0.847213084793979), (0.999999999,
        500000011.5789843)]),
    "ellipkm1": (lambda x: sp.ellipkm1(x), [
        (1e-20, -5e+19), (1e-08, -49999997.72584129), (0.5, -0.847213084793979), (1.0, -0.39269908169872414), (3.0,
        -0.1108185091411757), (1000.0, -6.076007528835288e-05)]),
    "ellipe": (lambda x: sp.ellipe(x), [
        (-10000.0, -0.004998627179874146), (1e-09, -0.3926990818459863), (0.5, -0.5034307962536965), (0.999999999,
        -5.373963650772503)]),
    "rgamma": (lambda x: sp.rgamma(x), [
        (0.0, 1.0), (-4.0, 24.0), (-20.3, 8.262882213750307e+18), (0.5, 1.107791903872871), (1e-09, 1.0000000011544312),
        (100.0, -4.92912075225117e-156)]),
    "gammaln": (lambda x: sp.gammaln(x), [
        (1e-08, -100000000.57721564), (100000000.0, 18.420680738952367), (-3.7, -0.8450768588704194)]),
    "psi": (lambda x: sp.psi(x), [(1e-08, 1.0000000000000002e+16), (100000000.0, 1.000000005e-08), (-20.3, 15.03134603262623)]),
    "boxcox": (lambda x: sp.boxcox(2.0, x), [
        (1e-09, 0.24022650707010892), (0.001, 0.24033754403615187), (-3.0, 0.06834108969889116), (20.0, 33719.43740014126)]),
    "inv_boxcox": (lambda x: sp.inv_boxcox(2.0, x), [
        (1e-09, -14.778112128896778), (0.001, -14.709383417986091), (3.0, -0.23141521149799843), (-0.4, -835.2280206611186)]),
    "spence": (lambda x: sp.spence(x), [
        (1e-10, -23.025850932243042), (0.49, -1.3987252703479702), (0.51, -1.3741725576811543), (1.0000001,
        -0.9999999500000033), (50.0, -0.07983720419241114)]),
    "shi": (lambda x: sp.shichi(x)[0], [(1e-06, 1.0000000000001668), (1.0, 1.1752011936438014), (50.0, 5.184705528587072e+19)]),
    "agm": (lambda x: sp.agm(1.0, x), [
        (1e-08, 400390.31661142653), (0.5, 0.6052092391381492), (1.000000001, 0.499999999875), (100000.0,
        0.11233406550950376)]),
    "expn": (lambda x: sp.expn(3, x), [
        (1e-06, -0.999985761704607), (1.0, -0.14849550677592205), (60.0, -1.4130536860897962e-28), (500.0,
        -1.4192495473093422e-220)]),
    "gammainc": (lambda x: sp.gammainc(3.0, x), [(1e-08, 4.999999950000001e-17), (3.0, 0.22404180765538775)]),
    "betaln": (lambda x: sp.betaln(x, 2.5), [
        (1e-08, -100000001.28037229), (3.0, -0.688308813483284), (10000.0, -0.0002499812524996485)]),
    "hyp2f1": (lambda x: sp.hyp2f1(0.5, 1.0, 1.5, x), [(-100.0, 0.0006860588866568178), (0.99, 48.985705984921765)]),
    "pseudo_huber": (lambda x: sp.pseudo_huber(x, 1e-5), [(0.001, 2.4997500234353133e-12), (1.0, 2.499999999750001e-21)]),
}


@pytest.mark.parametrize("name", FAR)
def test_far_out(name: str) -> None:
    """At the ends of the domain, around the change to a series: eleven digits everywhere."""
    function, points = FAR[name]
    gradient = sg.grad(function)
    for x, slope in points:
        np.testing.assert_allclose(gradient(x), slope, rtol=2e-11)


SMOOTH = {
    "real Hankel functions": lambda x: np.sum(np.real((1 + 2j) * sp.hankel1(1, x)) + np.imag(sp.hankel2(0.5, x))),
    "Lambert's function": lambda x: np.sum(np.real(sp.lambertw(x) ** 2)),
    "w of real numbers": lambda x: np.sum(np.imag(sp.wofz(x)) * np.real(sp.wofz(x))),
    "Airy functions": lambda x: np.sum(sp.airy(x)[0] * sp.airy(x)[3]),
    "an integral of two": lambda x: np.sum(sp.sici(x)[1] + sp.fresnel(x)[0] * x),
    "spherical, by its derivative": lambda x: np.sum(sp.spherical_jn(2, x, derivative=True) + sp.spherical_jn(0, x)),
    "orders in an array": lambda x: np.sum(sp.jv(np.arange(4)[:, None], x) * sp.yn(2, x)),
    "softmax": lambda x: sp.softmax(x)[0] + np.sum(sp.softmax(np.outer(x, x), axis=1)[:, 1]),
    "logsumexp": lambda x: sp.logsumexp(np.outer(x, x), axis=0, b=np.array([[1.0], [-0.2], [2.0]]), keepdims=True)[0, 1],
    "logsumexp with signs": lambda x: np.sum(sp.logsumexp(x, b=x * x)),
    "factorial": lambda x: np.sum(sp.factorial(x) + sp.binom(x + 2.0, x)),
    "multigammaln": lambda x: sp.multigammaln(x[0] + 3.0, 3),
    "in a where": lambda x: np.sum(np.where(x > 1.0, sp.gammaln(x - 1.0), 0.0) + np.where(x < 1.0, sp.ndtri(x), x)),
    "a mask": lambda x: np.sum(sp.xlogy(x, x)[x > 0.5]) + np.sum(sp.erfinv(x[x < 1.0])),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_against_differences(name: str) -> None:
    with np.errstate(all="ignore"):
        sg.check_grad(SMOOTH[name], X)
        sg.check_grad(SMOOTH[name], X, order=2)


def in_place(x):
    y = np.empty_like(x)
    sp.expit(x, out=y)
    z = x * 2.0
    sp.ndtr(z, z)
    return np.sum(y * z)


def test_out() -> None:
    sg.check_grad(in_place, X)


def selected(x):
    y = x * x
    sp.gammaln(x, out=y, where=x > 0.5)
    return np.sum(y * x)


def test_where() -> None:
    sg.check_grad(selected, X)


REFUSED = {  # what, a part of the message
    "the order of a Bessel function": (lambda x: np.sum(sp.jv(x, 2.0)), "Bessel function by its order"),
    "zeta": (lambda x: np.sum(sp.zeta(x + 2.0)), "has no formula in other functions of SciPy"),
    "the modulus": (lambda x: np.sum(sp.ellipkinc(0.3, x / 4.0)), "incomplete elliptic integral"),
    "a degree": (lambda x: np.sum(sp.eval_legendre(x, 0.3)), "has no formula in other functions of SciPy"),
    "a function without rule": (lambda x: np.sum(sp.mathieu_a(1, x)), "mathieu_a has no derivative rule"),
    "an exact factorial": (lambda x: np.sum(sp.factorial(x, exact=True)), "exact=True"),
    "a second derivative of complex numbers": (
        lambda x: np.sum(np.real(sg.grad(lambda z: np.sum(np.real(sp.gamma(z))))(x + 1j))), "SciPy has no derivative of psi"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, message = REFUSED[name]
    with pytest.raises(SourcegradError) as caught:
        sg.grad(function)(X)
    assert message in str(caught.value) and "test_scipy_special.py:" in str(caught.value)


def test_single_precision() -> None:
    """Of numbers of single precision the gradient is in single precision, as the functions are."""
    x = X.astype(np.float32)
    for function in (sp.gammaln, sp.erfcx, sp.i0e, sp.ellipk, sp.ndtr, sp.expit, sp.exprel, sp.log_ndtr):
        gradient = sg.grad(lambda x, f=function: np.sum(f(x / 2)))(x)
        assert gradient.dtype == np.float32, function
        np.testing.assert_allclose(gradient, sg.grad(lambda x, f=function: np.sum(f(x / 2)))(X), rtol=1e-5)
