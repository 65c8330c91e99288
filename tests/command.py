"""The command line in this process, and Python in one of its own."""

import contextlib
import io
import subprocess
import sys
from unittest import mock

from leaderbayes._cli import main


def python(*arguments, cwd, **given):
    """Start Python."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd, check=False, **({"capture_output": True, "text": True} | given),
    )  # fmt: skip


def call(*arguments, cwd, encoding="utf-8"):
    """Do what the command does, here, with streams of an encoding; gives what a process gives."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
    with (
        contextlib.chdir(cwd),
        mock.patch.object(sys, "argv", ["leaderbayes", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code or 0
    said = (stream.buffer.getvalue().decode(encoding, "replace") for stream in (out, err))
    return subprocess.CompletedProcess(arguments, status, *said)
