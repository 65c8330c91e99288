"""Numerics on plain arrays: no labels, no PyMC. Every function has a brute-force test."""

from leaderbayes._numerics import kernels

kernels.keep()
