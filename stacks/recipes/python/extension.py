"""The extension module, as `cargo build` leaves it."""
import importlib.util
import os
import pathlib

HERE = pathlib.Path(__file__).parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))

_spec = importlib.util.spec_from_file_location(
    "countersign_py", TARGET / "debug" / "libcountersign_py.so"
)
countersign_py = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(countersign_py)
