"""Example boards: shipped ones, and well-known public ones that are downloaded."""

from leaderbayes.datasets._boards import load

__all__ = ["load"]
