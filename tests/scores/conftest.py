"""Files to be read."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file of text or of bytes; give its path."""

    def to(content, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to
