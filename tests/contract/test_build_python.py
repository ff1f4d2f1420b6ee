"""The Python that makes bytecode for the functions: found where it is installed, and asked for where it is not."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.contract.template import ROOT

pytestmark = pytest.mark.slow

NOBODYS = "3.99"
MADE_BEFORE = (".tools/uv", ".tools/sam/.ready", "embedder")
FINDING = f"include Makefile\nfinding:\n\t@echo $(call COMPILER,{NOBODYS})\n"


def _make(*arguments: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    mine = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(
        ["make", "-s", *arguments],
        cwd=ROOT,
        env=mine | environment,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_build_for_a_python_that_is_not_installed_fails_and_says_what_to_install() -> None:
    kept = [argument for path in MADE_BEFORE for argument in ("-o", path)]
    built = _make(*kept, "build", f"LAMBDA_PYTHON={NOBODYS}")
    assert built.returncode != 0
    assert f"Python {NOBODYS} is not installed" in built.stderr
    assert f"uv python install {NOBODYS}" in built.stderr


def test_a_python_that_is_installed_and_not_active_makes_the_bytecode(tmp_path: Path) -> None:
    python = tmp_path / f"versions/{NOBODYS}.1/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)
    found = _make("-f", "-", "finding", typed=FINDING, PYENV_ROOT=str(tmp_path))
    assert found.stdout.strip() == str(python)
    assert _make("-f", "-", "finding", typed=FINDING, PYENV_ROOT=str(tmp_path / "none")).stdout.strip() == ""
