"""Images and signals: convolutions, filters, pooling, masks."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def conv2d(input, weights, bias):
    K = weights.shape[0]
    N = input.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    C_out = weights.shape[3]
    output = np.empty((N, H_out, W_out, C_out), dtype=input.dtype)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                input[:, i:i + K, j:j + K, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return output + bias


case(conv2d, lambda rng: (rng.standard_normal((1, 3, 3, 2)), rng.standard_normal((2, 2, 2, 2)), rng.standard_normal(2)),
     ("input", "weights", "bias"))


def conv2d_elements(image, kernel, out):
    kh, kw = kernel.shape
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            acc = 0.0
            for p in range(kh):
                for q in range(kw):
                    acc += image[i + p, j + q] * kernel[p, q]
            out[i, j] = acc


case(conv2d_elements, lambda rng: (rng.standard_normal((3, 3)), rng.standard_normal((2, 2)), np.empty((2, 2))),
     ("image", "kernel"), ("out",))


def maxpool2d(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return output


case(maxpool2d, lambda rng: (rng.standard_normal((2, 4, 2, 1)),), ("x",))


def deriche(alpha, imgIn):
    """Recursive smoothing: two passes along the rows, two along the columns."""
    k = ((1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha))
         / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha)))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    c1 = c2 = 1
    y1 = np.empty_like(imgIn)
    y1[:, 0] = a1 * imgIn[:, 0]
    y1[:, 1] = a1 * imgIn[:, 1] + a2 * imgIn[:, 0] + b1 * y1[:, 0]
    for j in range(2, imgIn.shape[1]):
        y1[:, j] = (a1 * imgIn[:, j] + a2 * imgIn[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2])
    y2 = np.empty_like(imgIn)
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * imgIn[:, -1]
    for j in range(imgIn.shape[1] - 3, -1, -1):
        y2[:, j] = (a3 * imgIn[:, j + 1] + a4 * imgIn[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2])
    imgOut = c1 * (y1 + y2)
    y1[0, :] = a5 * imgOut[0, :]
    y1[1, :] = a5 * imgOut[1, :] + a6 * imgOut[0, :] + b1 * y1[0, :]
    for i in range(2, imgIn.shape[0]):
        y1[i, :] = (a5 * imgOut[i, :] + a6 * imgOut[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :])
    y2[-1, :] = 0.0
    y2[-2, :] = a7 * imgOut[-1, :]
    for i in range(imgIn.shape[0] - 3, -1, -1):
        y2[i, :] = (a7 * imgOut[i + 1, :] + a8 * imgOut[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :])
    imgOut[:] = c2 * (y1 + y2)
    return imgOut


case(deriche, lambda rng: (0.25, rng.standard_normal((4, 3))), ("alpha", "imgIn"))


def biquad(x, y, b, a):
    """A recursive filter with its state in a list of Python floats, written into y."""
    state = [0.0, 0.0]
    for n in range(len(x)):
        y[n] = b[0] * x[n] + state[0]
        state[0] = b[1] * x[n] - a[1] * y[n] + state[1]
        state[1] = b[2] * x[n] - a[2] * y[n]


case(biquad, lambda rng: (rng.standard_normal(5), np.empty(5), rng.standard_normal(3), rng.uniform(-0.5, 0.5, 3)),
     ("x", "b", "a"), ("y",))


def integral_image(img):
    """Cumulative sums along both axes, in place."""
    for i in range(1, img.shape[0]):
        img[i] += img[i - 1]
    for j in range(1, img.shape[1]):
        img[:, j] += img[:, j - 1]
    return img


case(integral_image, lambda rng: (rng.standard_normal((3, 4)),), ("img",), linear=True)


def bilateral_filter(img, sigma_s, sigma_r):
    h, w = img.shape
    out = np.zeros_like(img)
    norm = np.zeros_like(img)
    padded = np.zeros((h + 2, w + 2))
    padded[1:-1, 1:-1] = img
    for di in range(-1, 2):
        for dj in range(-1, 2):
            shifted = padded[1 + di:1 + di + h, 1 + dj:1 + dj + w]
            weight = np.exp(-(di * di + dj * dj) / (2 * sigma_s ** 2) - (shifted - img) ** 2 / (2 * sigma_r ** 2))
            out += weight * shifted
            norm += weight
    out /= norm
    return out


case(bilateral_filter, lambda rng: (rng.standard_normal((3, 3)), 1.2, 0.9), ("img", "sigma_s", "sigma_r"))


def anisotropic_diffusion(img, kappa, steps):
    """Differences are written into one reused buffer per direction."""
    north = np.zeros_like(img)
    east = np.zeros_like(img)
    for _ in range(steps):
        north[:-1] = img[1:] - img[:-1]
        east[:, :-1] = img[:, 1:] - img[:, :-1]
        north *= np.exp(-(north / kappa) ** 2)
        east *= np.exp(-(east / kappa) ** 2)
        img += 0.2 * (north + east)
        img[1:] -= 0.2 * north[:-1]
        img[:, 1:] -= 0.2 * east[:, :-1]


case(anisotropic_diffusion, lambda rng: (rng.standard_normal((3, 3)), 1.3, 2), ("img", "kappa"), ("img",))


def clip_and_stretch(img):
    """Masks, fill and a stretch of what is left; all stores in place."""
    img -= img.min()
    img /= img.max()
    img[img > 0.9] = 0.9
    dark = img < 0.2
    img[dark] = 0.1 + 0.5 * img[dark] ** 2
    np.sqrt(img, out=img, where=~dark)
    return img


case(clip_and_stretch, lambda rng: (rng.standard_normal((3, 4)),), ("img",))


def transposed_convolution(x, kernel, stride):
    """Overlapping tiles are added into the output."""
    n, k = len(x), len(kernel)
    y = np.zeros((n - 1) * stride + k)
    for i in range(n):
        y[i * stride:i * stride + k] += x[i] * kernel
    return y


case(transposed_convolution, lambda rng: (rng.standard_normal(4), rng.standard_normal(3), 2), ("x", "kernel"))


def resnet_block(x, w1, w2, eps):
    """Normalisation and ReLU that overwrite their activation."""
    def batchnorm(a):
        a -= a.mean(axis=0)
        a /= np.sqrt((a * a).mean(axis=0) + eps)

    h = x @ w1
    batchnorm(h)
    np.maximum(h, 0, out=h)
    h = h @ w2
    batchnorm(h)
    h += x
    h[h < 0] = 0
    return h


case(resnet_block, lambda rng: (rng.standard_normal((4, 3)), rng.standard_normal((3, 3)), rng.standard_normal((3, 3)),
                                1e-3), ("x", "w1", "w2"))
