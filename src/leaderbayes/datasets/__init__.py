"""Example boards: shipped ones, and well-known public ones that are fetched."""

from leaderbayes.datasets._fetched import fetch
from leaderbayes.datasets._shipped import load, path

__all__ = ["fetch", "load", "path"]
