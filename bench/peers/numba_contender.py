"""numba behind a contender's interface (see contender.h): each kernel as a
parallel loop over its work-items, as one would write it for numba."""
import sys
import time

import numba
import numpy as np

jit = numba.njit(parallel=True, error_model="numpy")
f32 = np.float32


@jit
def saxpy(y, x, a, n):
    for i in numba.prange(n):
        y[i] = a * x[i] + y[i]


@jit
def matmul_naive(c, a, b, n):
    for row in numba.prange(n):
        for col in range(n):
            total = f32(0)
            for k in range(n):
                total += a[row * n + k] * b[k * n + col]
            c[row * n + col] = total


@jit
def stencil7(out, src, nx, ny, nz, c0, c1):
    for z in numba.prange(1, nz - 1):
        for y in range(1, ny - 1):
            for x in range(1, nx - 1):
                i = (z * ny + y) * nx + x
                around = src[i - 1] + src[i + 1] + src[i - nx] + src[i + nx] + src[i - nx * ny] + src[i + nx * ny]
                out[i] = c0 * src[i] + c1 * around


@jit
def nbody(acc, pos, n, eps2):
    for i in numba.prange(n):
        px, py, pz = pos[4 * i], pos[4 * i + 1], pos[4 * i + 2]
        ax = ay = az = f32(0)
        for j in range(n):
            dx, dy, dz = pos[4 * j] - px, pos[4 * j + 1] - py, pos[4 * j + 2] - pz
            inverse = f32(1) / np.sqrt(dx * dx + dy * dy + dz * dz + eps2)
            s = pos[4 * j + 3] * inverse * inverse * inverse
            ax += dx * s
            ay += dy * s
            az += dz * s
        acc[4 * i], acc[4 * i + 1], acc[4 * i + 2], acc[4 * i + 3] = ax, ay, az, f32(0)


def argument(text):
    kind, n, seed, lo, hi, flags, value = text.split(":")
    if kind == "i32s":
        return int(float(value)), False
    if kind == "f32s":
        return f32(value), False
    n, lo, hi = int(n), float(lo), float(hi)
    if "z" in flags:
        return np.zeros(n, np.float32), "o" in flags
    bits = np.arange(n, dtype=np.uint32) * np.uint32(2654435761) + np.uint32((int(seed) * 40503 + 12345) % 2**32)
    return (lo + (hi - lo) * ((bits >> np.uint32(8)) / 2.0**24)).astype(np.float32), "o" in flags


def main():
    kernel = {"saxpy": saxpy, "matmul_naive": matmul_naive, "stencil7": stencil7, "nbody": nbody}[sys.argv[1]]
    made = [argument(text) for text in sys.argv[8:]]
    arguments = [value for value, _ in made]
    kernel(*arguments)
    output = next(value for value, out in made if out)
    print("ready", output.astype(np.float64).sum(), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            began = time.perf_counter()
            kernel(*arguments)
            times.append((time.perf_counter() - began) * 1e3)
        print(*times, flush=True)


main()
