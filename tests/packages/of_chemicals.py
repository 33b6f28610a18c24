"""Programs of chemicals: vapour pressures, volumes, heat capacities, transport, flash calculations, mixtures."""
from __future__ import annotations

import chemicals
import numpy as np

from tests.packages.program import program

ZS, KS = np.array([0.5, 0.3, 0.2]), np.array([1.685, 0.742, 0.532])


def vapour_pressure(t):
    wagner = chemicals.Wagner(t, 190.53, 4596420.0, a=-6.00435, b=1.1885, c=-0.834082, d=-1.22833)
    return (chemicals.Antoine(t, A=8.95894, B=510.595, C=-15.95) + wagner) * 1e-4


def acentric(t):
    return chemicals.Lee_Kesler(t, 617.1, 36e5, 0.299) * 1e-3 + chemicals.boiling_critical_relation(t, 409.3, 617.1, 36e5) * 1e-3


def liquid_volume(t):
    return (chemicals.Rackett(t, 369.83, 4248000.0, 0.2763) + chemicals.COSTALD(t, 369.83, 0.0002, 0.1532)
            + chemicals.Yen_Woods_saturation(t, 647.14, 55.45e-6, 0.245)) * 1e5


def second_virial(t):
    return (chemicals.BVirial_Pitzer_Curl(t, 425.2, 38e5, 0.193) + chemicals.BVirial_Tsonopoulos(t, 425.2, 38e5, 0.193)
            + chemicals.BVirial_Abbott(t, 425.2, 38e5, 0.193)) * 1e4


def heat_capacity(t):
    return (chemicals.Shomate(t, 30.09200, 6.832514e-3, 6.793435e-6, -2.534480e-9, 0.082139e6)
            + chemicals.TRCCp(t, 4.0, 7.65e5, 720.0, 3.565, -0.052, -1.55e6, 52.0, 201.0)
            + chemicals.Poling(t, -3.13, 0.0, 5.5e-5, 1e-8, 0.0))


def vaporization(t):
    return (chemicals.Watson(t, 30000.0, 300.0, 500.0) + chemicals.Pitzer(t, 645.6, 0.35017)
            + chemicals.SMK(t, 553.15, 0.302)) * 1e-3


def at_boiling(tb):
    return (chemicals.Riedel(tb, 562.05, 4895000.0) + chemicals.Chen(tb, 562.05, 4895000.0)
            + chemicals.Vetere(tb, 562.05, 4895000.0)) * 1e-3


def rachford_rice(zs, ks):
    vapour, xs, ys = chemicals.flash_inner_loop(zs, ks)
    return vapour + np.sum(np.array(xs) ** 2) - np.sum(np.array(ys) ** 3)


def rachford_rice_lists(ks):
    vapour, xs, ys = chemicals.Rachford_Rice_solution(zs=[0.5, 0.3, 0.2], Ks=[ks[0], ks[1], ks[2]])
    return vapour * xs[0] + ys[1]


def wilson(t):
    ks = [chemicals.Wilson_K_value(t, 1e5, tc, pc, w) for tc, pc, w in [(190.56, 4599e3, 0.008), (305.32, 4872e3, 0.098)]]
    return ks[0] * 1e-2 + ks[1]


def fractions(ns):
    zs = chemicals.normalize(ns)
    ws = chemicals.zs_to_ws(zs, [16.04, 30.07, 44.1])
    mixed = chemicals.mixing_simple(zs, [1.0, 2.0, 3.0]) + chemicals.mixing_logarithmic(ws, [0.1, 0.2, 0.3])
    return sum([w * w for w in ws]) + mixed


def liquid_viscosity(t):
    return (chemicals.Letsou_Stiel(t, 46.07, 516.25, 6.383e6, 0.6371) + chemicals.Przedziecki_Sridhar(
        t, 178.0, 591.8, 41e5, 316e-6, 95e-6, 0.263, 92.14)) * 1e3


def gas_viscosity(t):
    return (chemicals.Yoon_Thodos(t, 556.35, 4.5596e6, 153.8) + chemicals.Stiel_Thodos(t, 556.35, 4.5596e6, 153.8)
            + chemicals.Lucas_gas(t, Tc=512.6, Pc=80.9e5, Zc=0.224, MW=32.042, dipole=1.7)) * 1e5


def mixed_viscosity(mus):
    return (chemicals.Wilke([0.05, 0.95], mus, [64.06, 46.07]) + chemicals.Herning_Zipperer([0.5, 0.5], mus, [64.06, 46.07])) * 1e5


def conductivity(t):
    return chemicals.Sheffy_Johnson(t, 47.0, 280.0) + chemicals.Sato_Riedel(t, 47.0, 390.0, 520.0) + chemicals.Gharagheizi_liquid(
        t, 40.0, 350.0, 1e6, 0.27)


def eucken(cvm):
    return chemicals.Eucken(MW=72.151, Cvm=cvm, mu=8.77e-6) + chemicals.Eucken_modified(MW=72.151, Cvm=cvm, mu=8.77e-6)


def surface_tension(t):
    return (chemicals.Brock_Bird(t, 404.75, 633.0, 4530000.0) + chemicals.REFPROP_sigma(t, 647.096, -0.1306, 2.471, 0.2151, 1.233)
            + chemicals.Sastri_Rao(t, 404.75, 633.0, 4530000.0)) * 1e2


def dippr(t):
    return (chemicals.EQ101(t, 73.649, -7258.2, -7.3037, 4.1653e-06, 2.0) * 1e-4
            + chemicals.EQ105(t, 0.70824, 0.26411, 507.6, 0.27537)
            + chemicals.EQ107(t, 33363.0, 26790.0, 2610.5, 8896.0, 1169.0) * 1e-3)


def steam(t):
    return chemicals.iapws95_Psat(t) * 1e-4 + chemicals.iapws95_rhol_sat(t) * 1e-2


def steam_if97(t):
    return chemicals.iapws97_rho(t, 1e6) * 1e-2


def critical_mixture(zs):
    tcs, vcs = np.array([190.6, 305.4, 369.8]), np.array([9.9e-5, 1.5e-4, 2.0e-4])
    return chemicals.Li(zs, tcs, vcs) * 1e-2


def reaction(t):
    return chemicals.Gibbs_formation(-285830.0 + t, 69.91, [0.0, 0.0], [130.571, 205.147], [1.0, 0.5]) * 1e-4


PROGRAMS = [
    program(vapour_pressure, 180.0), program(acentric, 350.0), program(liquid_volume, 272.0), program(second_virial, 510.0),
    program(heat_capacity, 400.0), program(vaporization, 452.0), program(at_boiling, 353.2), program(rachford_rice, ZS, KS),
    program(rachford_rice_lists, KS), program(wilson, 250.0), program(fractions, np.array([1.0, 2.0, 0.5])),
    program(liquid_viscosity, 400.0), program(gas_viscosity, 500.0), program(mixed_viscosity, np.array([1.34e-5, 9.5e-6])),
    program(conductivity, 300.0), program(eucken, 135.9), program(surface_tension, 300.0), program(dippr, 300.0),
    program(steam, 400.0), program(steam_if97, 330.0), program(critical_mixture, np.array([0.2, 0.3, 0.5])),
    program(reaction, 298.0)]
