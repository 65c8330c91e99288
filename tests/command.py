"""The command line, in a process of its own or in this one."""

import contextlib
import io
import subprocess
import sys
from unittest import mock

from leaderbayes._cli import main


def run(*arguments, cwd, **given):
    """Start the command: for what only a fresh process shows; it takes a second or more."""
    return python("-m", "leaderbayes", *map(str, arguments), cwd=cwd, **given)


def python(*arguments, cwd, **given):
    """Start Python."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd, check=False, **({"capture_output": True, "text": True} | given),
    )  # fmt: skip


def call(*arguments, cwd):
    """Do what the command does, here; gives what `run` gives."""
    out, err = io.StringIO(), io.StringIO()
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
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())
