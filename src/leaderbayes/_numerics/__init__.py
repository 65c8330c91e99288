"""Numerics on arrays: no labels, no PyMC."""
