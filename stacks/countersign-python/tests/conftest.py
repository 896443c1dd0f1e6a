"""What tests share."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture
def run_python():
    """Runs a program in a process of its own, and returns what it prints."""

    def run(program, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
