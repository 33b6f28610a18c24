"""Programs of fluids: friction, fittings, meters, valves, packed beds, drag, two phases, open channels, the atmosphere."""
from __future__ import annotations

import fluids

from tests.packages.program import program


def pipe(v, d):
    re = fluids.Reynolds(V=v, D=d, rho=998.0, mu=1e-3)
    fd = fluids.friction_factor(Re=re, eD=1e-4 / d)
    k = fluids.K_from_f(fd=fd, L=30.0, D=d)
    return fluids.dP_from_K(K=k, rho=998.0, V=v)


def fittings(v):
    re = fluids.Reynolds(V=v, D=0.1, nu=1e-6)
    fd = fluids.friction_factor(Re=re, eD=1e-3)
    k = fluids.entrance_sharp() + fluids.exit_normal() + 2.0 * fluids.bend_rounded(Di=0.1, angle=45.0, fd=fd, bend_diameters=5)
    k += fluids.contraction_sharp(Di1=0.1, Di2=0.08) + fluids.K_globe_valve_Crane(D1=0.08, D2=0.08, fd=fd)
    return fluids.head_from_K(K=k, V=v)


def contraction(d):
    return fluids.contraction_conical(Di1=0.1, Di2=d, l=0.04, fd=0.0185) + fluids.diffuser_conical(Di1=d, Di2=0.1, l=0.1, fd=0.02)


def dimensionless(v):
    return (fluids.Prandtl(Cp=1637.0, k=0.01, mu=4.61e-6 * v) + fluids.Froude(v, L=2.0, g=9.8) + fluids.Weber(v, 0.01, 998.0, 0.07)
            + fluids.Mach(v, 330.0) + fluids.Grashof(L=0.9, beta=0.00341, T1=300.0 + v, T2=280.0, nu=1.56e-5) * 1e-9)


def compressible(p1):
    return (fluids.isothermal_gas(rho=11.3, fd=0.00185, P1=p1, P2=9e5, L=1000.0, D=0.5)
            + fluids.isentropic_work_compression(T1=300.0, k=1.4, P1=1e5, P2=p1, eta=0.78) * 1e-3)


def gas_line(p1):
    return fluids.Weymouth(D=0.34, P1=p1, P2=20e5, L=160e3, SG=0.693, Tavg=277.15) + fluids.Panhandle_A(
        D=0.34, P1=p1, P2=20e5, L=160e3, SG=0.693, Tavg=277.15)


def control_valve(p1):
    return fluids.size_control_valve_l(rho=965.4, Psat=70.1e3, Pc=22120e3, mu=3.1472e-4, P1=p1, P2=220e3, Q=0.1) * 1e-2


def gas_valve(p1):
    return fluids.size_control_valve_g(T=433.0, MW=44.01, mu=1.4665e-4, gamma=1.30, Z=0.988, P1=p1, P2=310e3, Q=38 / 36.0) * 1e-1


def orifice(p2):
    return fluids.differential_pressure_meter_solver(D=0.07366, D2=0.05, P1=200000.0, P2=p2, rho=999.1, mu=0.0011, k=1.33,
                                                     meter_type="ISO 5167 orifice", taps="D")


def meter_coefficient(re):
    return fluids.C_Reader_Harris_Gallagher(D=0.07391, Do=0.0222, rho=1.165, mu=1.85e-5, m=0.12 * re, taps="flange")


def packed_bed(vs):
    return fluids.dP_packed_bed(dp=8e-4, voidage=0.4, vs=vs, rho=1e3, mu=1e-3, L=0.1) + fluids.packed_bed.Ergun(
        dp=8e-4, voidage=0.4, vs=vs, rho=1e3, mu=1e-3)


def sphere(v):
    re = fluids.Reynolds(V=v, rho=1.2, mu=1.78e-5, D=0.02)
    return fluids.drag_sphere(re) + fluids.Rouse(re) + fluids.Haider_Levenspiel(re)


def terminal(d):
    return fluids.v_terminal(D=d, rhop=2200.0, rho=1000.0, mu=1e-3)


def two_phase(m):
    return fluids.two_phase_dP(m=m, x=0.1, rhol=915.0, rhog=2.67, mul=180e-6, mug=14e-6, sigma=0.0487, D=0.05, L=1.0,
                               Method="Friedel")


def martinelli(x):
    return fluids.Lockhart_Martinelli(m=0.6, x=x, rhol=915.0, rhog=2.67, mul=180e-6, mug=14e-6, D=0.05, L=1.0)


def channel(rh):
    return fluids.V_Manning(Rh=rh, S=1e-3, n=0.017) + fluids.V_Chezy(Rh=rh, S=1e-3, C=26.153) + fluids.Q_weir_rectangular_SIA(
        rh, 0.5, 1.0, 1.2)


def atmosphere(z):
    air = fluids.ATMOSPHERE_1976(z)
    return air.T + air.rho + air.P * 1e-4 + air.v_sonic


def tank(h):
    t = fluids.TANK(D=1.2, L=4.0, horizontal=True)
    return t.V_from_h(h)


def volumes(h):
    return fluids.geometry.V_horiz_ellipsoidal(D=1.5, L=5.0, a=0.3, h=h) + fluids.geometry.SA_ellipsoidal_head(D=1.0, a=h)


def pump(q):
    return fluids.specific_speed(q, 100.0, 3550.0) + fluids.specific_diameter(Q=q, H=10.0, D=0.1)


def mixing(n):
    time = fluids.mixing.agitator_time_homogeneous(D=36 * 0.0254, N=n, P=957.0, T=1.83, H=1.83, mu=0.018, rho=1020.0)
    return time + fluids.mixing.COV_motionless_mixer(Ki=0.33, Q1=n, Q2=301.0, pipe_diameters=4.74)


def particles(d):
    psd = fluids.particle_size_distribution.PSDLognormal(s=0.5, d_characteristic=5e-6)
    return psd.cdf(d) + psd.pdf(d) * 1e-6


PROGRAMS = [
    program(pipe, 1.5, 0.1), program(fittings, 1.2), program(contraction, 0.06), program(dimensionless, 2.0),
    program(compressible, 1e6), program(gas_line, 9e6), program(control_valve, 680e3), program(gas_valve, 680e3),
    program(orifice, 183000.0), program(meter_coefficient, 1.0), program(packed_bed, 1e-3), program(sphere, 5.0),
    program(terminal, 70e-6), program(two_phase, 0.6), program(martinelli, 0.1), program(channel, 0.2),
    program(atmosphere, 5000.0), program(tank, 0.5), program(volumes, 0.4), program(pump, 0.04), program(mixing, 0.94),
    program(particles, 4e-6)]
