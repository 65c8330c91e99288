"""Posteriors: the only place that samples."""
