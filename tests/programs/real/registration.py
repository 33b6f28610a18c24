"""Image registration: bilinear interpolation, an affine transform class, and a multi-level similarity measure."""
import numpy as np

from tests.programs.real.record import Real


class AffineTransform:
    """A 2x3 matrix, made from parameters or composed with `@`."""

    def __init__(self, matrix=None, scale=None, rotation=None, translation=None):
        params = any(p is not None for p in (scale, rotation, translation))
        if params and matrix is not None:
            raise ValueError("give either the matrix or the implicit parameters")
        if matrix is None:
            if scale is None:
                scale = (1.0, 1.0)
            if np.isscalar(scale):
                sx = sy = scale
            else:
                sx, sy = scale
            rotation = 0.0 if rotation is None else rotation
            tx, ty = (0.0, 0.0) if translation is None else translation
            matrix = np.array([[sx * np.cos(rotation), -sy * np.sin(rotation), tx],
                               [sx * np.sin(rotation), sy * np.cos(rotation), ty],
                               [0.0, 0.0, 1.0]])
        self.params = matrix

    def __matmul__(self, other):
        if not isinstance(other, AffineTransform):
            return NotImplemented
        return AffineTransform(self.params @ other.params)

    def __call__(self, coords):
        x, y = coords
        (a, b, c), (d, e, f) = self.params[:2]
        return a * x + b * y + c, d * x + e * y + f


def bilinear(image, x, y, cval=0.0):
    """Values at floating coordinates; outside of the image `cval`."""
    h, w = image.shape
    x0 = np.floor(x).astype(int)
    y0 = np.floor(y).astype(int)
    inside = (x0 >= 0) & (x0 < w - 1) & (y0 >= 0) & (y0 < h - 1)
    x0c, y0c = np.clip(x0, 0, w - 2), np.clip(y0, 0, h - 2)
    dx, dy = x - x0c, y - y0c
    top = image[y0c, x0c] * (1 - dx) + image[y0c, x0c + 1] * dx
    bottom = image[y0c + 1, x0c] * (1 - dx) + image[y0c + 1, x0c + 1] * dx
    out = np.full(x.shape, cval)
    out[inside] = (top * (1 - dy) + bottom * dy)[inside]
    return out


def warp(image, transform, output_shape=None):
    h, w = image.shape if output_shape is None else output_shape
    grid = np.mgrid[:h, :w].astype(float)
    x, y = transform((grid[1], grid[0]))
    return bilinear(image, x, y)


def downscale(image):
    """Mean of 2 by 2 blocks."""
    h, w = (n // 2 * 2 for n in image.shape)
    blocks = image[:h, :w].reshape(h // 2, 2, w // 2, 2)
    return blocks.mean(axis=(1, 3))


def smooth(image, passes=1):
    out = image.copy()
    for _ in range(passes):
        padded = np.pad(out, 1, mode="edge")
        out = 0.5 * out + 0.125 * (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:])
    return out


def ncc(a, b):
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / np.sqrt((a ** 2).sum() * (b ** 2).sum())


def ssd(a, b):
    return np.mean((a - b) ** 2)


METRICS = {"ncc": lambda a, b: 1.0 - ncc(a, b), "ssd": ssd}


def registration_cost(parameters, moving, fixed, metric="ncc", levels=2):
    try:
        measure = METRICS[metric]
    except KeyError:
        raise ValueError(f"unknown metric '{metric}', expected one of {list(METRICS)}")  # noqa: B904
    transform = AffineTransform(rotation=parameters["angle"], translation=parameters["shift"])
    transform = transform @ AffineTransform(scale=parameters["scale"])
    warped = warp(moving, transform)
    cost, weight = 0.0, 1.0
    for level in range(levels):
        cost += weight * measure(warped, fixed)
        if level + 1 < levels:
            warped, fixed = downscale(smooth(warped)), downscale(smooth(fixed))
            weight /= 2
    return cost


_y, _x = np.mgrid[:6, :7]
FIXED = np.exp(-((_x - 3.2) ** 2 + (_y - 2.6) ** 2) / 4.0)
MOVING = np.exp(-((_x - 2.7) ** 2 + (_y - 2.9) ** 2) / 3.5)

PROGRAM = [
    Real(registration_cost, ({"angle": 0.07, "shift": np.array([0.23, -0.31]), "scale": 0.98}, MOVING, FIXED),
         inputs="parameters", step=1e-4, lines=4.1),
    Real(registration_cost, ({"angle": 0.07, "shift": np.array([0.23, -0.31]), "scale": 0.98}, MOVING, FIXED),
         inputs=("parameters", "moving"), options={"metric": "ssd", "levels": 1}, step=1e-4),
]
