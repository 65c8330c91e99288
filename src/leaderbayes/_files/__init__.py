"""Files: read within limits, written whole or not at all, fetched."""
