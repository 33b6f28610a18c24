"""Kernels that work in place, by family: `KERNELS`, and `BY_NAME`.

`python -m tests.programs.kernels` prints how sourcegrad fares on each of them.
"""
from tests.programs.kernels import (
    data,
    dynamics,
    factorizations,
    fft,
    helpers,
    images,
    monte_carlo,
    nbody,
    products,
    solvers,
    sparse,
    stencils,
    weather,
)
from tests.programs.kernels.kernel import Kernel

FAMILIES = (stencils, factorizations, solvers, products, weather, nbody, fft, sparse, monte_carlo, dynamics, images, data,
            helpers)
KERNELS: list[Kernel] = [kernel for family in FAMILIES for kernel in family.PROGRAMS]
BY_NAME: dict[str, Kernel] = {kernel.name: kernel for kernel in KERNELS}
