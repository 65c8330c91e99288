"""Numerics on plain arrays, without labels or PyMC."""
