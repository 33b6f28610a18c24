"""Derivative rules, one file a family; importing this package registers all of them, but for those of SciPy."""
import importlib
import pkgutil
import sys

WHEN_USED = {"scipy"}                                      # its families are imported when code that calls it is looked at
OF_SCIPY = {"scipy.special": ("special", "gamma", "distributions", "bessel", "integrals", "orthogonal"),
            "scipy.stats": ("special", "continuous", "gammas", "extremes", "discrete", "several", "samples", "descriptive",
                            "hypotheses"),
            "scipy.linalg": ("linalg", "linalg_solvers", "linalg_spectra", "linalg_refused"), "scipy.fft": ("fourier",),
            "scipy.spatial.distance": ("distance",),
            "scipy.spatial.transform": ("rotations",), "scipy.optimize": ("roots", "constrained", "minima", "searches"),
            "scipy.integrate": ("quadrature", "equations", "boundary"), "scipy.signal": ("convolutions", "signals", "spectra"),
            "scipy.ndimage": ("images", "smoothing", "resampling", "geometry"),
            "scipy.interpolate": ("piecewise", "splines", "grids"),
            "scipy.sparse": ("patterns", "matrices", "systems", "iterative", "spectra_sparse")}

for _module in sorted({m.name for m in pkgutil.iter_modules(__path__)} - WHEN_USED):
    importlib.import_module(f"{__name__}.{_module}")


def with_scipy() -> None:
    """Register the families of those parts of SciPy that have been imported."""
    for part in [part for part in OF_SCIPY if part in sys.modules]:
        for family in OF_SCIPY.pop(part):
            importlib.import_module(f"{__name__}.scipy.{family}")
