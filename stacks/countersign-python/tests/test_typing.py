"""The types that users see: the stubs are those of the module, and checkers find the errors in
`typed.py`, and no others."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
TYPED = HERE / "typed.py"
WRONG = {n for n, line in enumerate(TYPED.read_text().splitlines(), 1) if line.endswith("# wrong")}


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_mypy():
    """The package has no error, and the program those that are marked; strict by `pyproject.toml`."""
    done = run(sys.executable, "-m", "mypy", "python/countersign_http", TYPED, cwd=HERE.parent)
    found = re.findall(r"^(\S+):(\d+): error", done.stdout, re.MULTILINE)
    assert {("tests/typed.py", str(line)) for line in WRONG} == {*found}, done.stdout + done.stderr


def test_pyright():
    pyright = shutil.which("pyright", path=str(pathlib.Path(sys.executable).parent))
    done = pyright and run(pyright, "--pythonpath", sys.executable, "--outputjson", TYPED)
    if not done or not done.stdout.startswith("{"):
        pytest.skip("no pyright, or no Node for it")
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert {it["range"]["start"]["line"] + 1 for it in found} == WRONG, done.stdout


def test_the_stubs(tmp_path):
    done = run(sys.executable, "-m", "mypy.stubtest", "countersign_http._core", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
