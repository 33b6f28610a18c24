"""Programs of lmfit: line shapes, models and their sums, parameters with bounds and expressions, residuals, fits."""
from __future__ import annotations

import numpy as np
from lmfit import Model, Parameters, create_params, lineshapes, minimize
from lmfit.models import ExponentialModel, GaussianModel, LinearModel, LorentzianModel, PolynomialModel, StepModel, VoigtModel

from tests.packages.program import program

X = np.linspace(-2.0, 3.0, 9)
DATA = 2.0 * np.exp(-((X - 0.4) ** 2)) + 0.1 * np.cos(7.0 * X)


def bell(x, amp, cen, wid):
    return amp * np.exp(-((x - cen) ** 2) / wid)


def line(x, slope, intercept):
    return slope * x + intercept


BELL, BOTH, PEAK, VOIGT = Model(bell), Model(bell) + Model(line), GaussianModel(prefix="g_"), VoigtModel()
PEAK_ON_LINE = LorentzianModel(prefix="p_") + LinearModel(prefix="b_")
STEP, POLYNOMIAL, DECAY = StepModel(form="atan"), PolynomialModel(2), ExponentialModel()


def evaluated(amp, cen):
    return np.sum(BELL.eval(x=X, amp=amp, cen=cen, wid=1.3) ** 2)


def made_inside(amp, cen):
    model = Model(bell)
    return np.sum(model.eval(x=X, amp=amp, cen=cen, wid=1.3) ** 2)


def own_function(amp, cen):
    return np.sum(BELL.func(X, amp, cen, 1.3) ** 2)


def with_parameters(amp, cen):
    params = BELL.make_params(amp=amp, cen=cen, wid=1.3)
    return np.sum((BELL.eval(params, x=X) - DATA) ** 2)


def composite(amp, slope):
    return np.sum(BOTH.eval(x=X, amp=amp, cen=0.4, wid=1.0, slope=slope, intercept=0.1) ** 2)


def peaks(amplitude, sigma):
    return np.sum(PEAK.eval(x=X, g_amplitude=amplitude, g_center=0.3, g_sigma=sigma) ** 2)


def peak_on_line(amplitude, slope):
    return np.sum(PEAK_ON_LINE.eval(x=X, p_amplitude=amplitude, p_center=0.3, p_sigma=0.8, b_slope=slope, b_intercept=0.4) ** 2)


def shapes(x, sigma):
    return (np.sum(lineshapes.gaussian(x, 1.2, 0.3, sigma)) + np.sum(lineshapes.lorentzian(x, 1.2, 0.3, sigma))
            + np.sum(lineshapes.pvoigt(x, 1.2, 0.3, sigma, 0.4)) + np.sum(lineshapes.moffat(x, 1.0, 0.2, sigma, 1.5)))


def voigt(x, sigma):
    return np.sum(lineshapes.voigt(x, 1.5, 0.3, sigma, 0.4))


def voigt_model(sigma):
    return np.sum(VOIGT.eval(x=X, amplitude=1.0, center=0.2, sigma=sigma, gamma=0.5) ** 2)


def more_shapes(x, sigma):
    return (np.sum(lineshapes.students_t(x, 1.2, 0.3, sigma)) + np.sum(lineshapes.breit_wigner(x, 1.0, 0.2, sigma, 1.3))
            + np.sum(lineshapes.lognormal(x + 4.0, 1.0, 0.5, sigma)) + np.sum(lineshapes.skewed_gaussian(x, 1.0, 0.2, sigma, 0.5))
            + np.sum(lineshapes.doniach(x, 1.0, 0.2, sigma, 0.1)))


def steps(x, sigma):
    return np.sum(lineshapes.step(x, 1.2, 0.3, sigma, form="erf")) + np.sum(lineshapes.step(x, 1.2, 0.3, sigma, form="logistic"))


def step_model(sigma):
    return np.sum(STEP.eval(x=X, amplitude=1.5, center=0.1, sigma=sigma) ** 2)


def powers(c1, decay):
    polynomial = POLYNOMIAL.eval(x=X, c0=0.3, c1=c1, c2=0.2)
    return np.sum(polynomial * DECAY.eval(x=X, amplitude=1.2, decay=decay))


def residual(params, x, data):
    values = params.valuesdict()
    return bell(x, values["amp"], values["cen"], values["wid"]) - data


def least_squares(amp, cen):
    params = Parameters()
    params.add("amp", value=amp)
    params.add("cen", value=cen)
    params.add("wid", value=1.2)
    return np.sum(residual(params, X, DATA) ** 2)


def created(amp):
    params = create_params(amp=amp, cen=0.4, wid={"value": 1.2, "vary": False})
    return np.sum(residual(params, X, DATA) ** 2)


def bounded(amp):
    params = Parameters()
    params.add("amp", value=amp, min=0.0, max=10.0)
    params.add("cen", value=0.4, min=-1.0)
    params.add("wid", value=1.2)
    return np.sum(residual(params, X, DATA) ** 2)


def constrained(amp):
    params = Parameters()
    params.add("amp", value=amp)
    params.add("cen", value=0.3)
    params.add("wid", expr="2 * amp")
    return np.sum(residual(params, X, DATA) ** 2)


def change_of_data(data):
    params = Parameters()
    params.add_many(("amp", 1.8), ("cen", 0.3), ("wid", 1.2))
    return np.sum(residual(params, X, data) ** 2)


def fitted(data):
    params = create_params(amp=1.8, cen=0.3, wid=1.2)
    result = minimize(residual, params, args=(X, data))
    return result.params["amp"].value


def fitted_model(data):
    result = Model(bell).fit(data, x=X, amp=1.8, cen=0.3, wid=1.2)
    return result.best_values["cen"]


def guessed(data):
    params = GaussianModel().guess(data, x=X)
    return params["amplitude"].value


PROGRAMS = [
    program(evaluated, 1.7, 0.3), program(made_inside, 1.7, 0.3), program(own_function, 1.7, 0.3),
    program(with_parameters, 1.7, 0.3), program(composite, 1.7, 0.3), program(peaks, 1.4, 0.7), program(peak_on_line, 1.4, 0.3),
    program(shapes, X, 0.7), program(voigt, X, 0.7), program(voigt_model, 0.6), program(more_shapes, X, 0.7),
    program(steps, X, 0.7), program(step_model, 0.6), program(powers, 0.4, 1.6), program(least_squares, 1.7, 0.3),
    program(created, 1.7), program(bounded, 1.7), program(constrained, 0.9), program(change_of_data, DATA),
    program(fitted, DATA), program(fitted_model, DATA), program(guessed, DATA)]
