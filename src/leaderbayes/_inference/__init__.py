"""Sampling of posteriors; no other module samples."""
