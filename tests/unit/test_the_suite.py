"""The suite holds under load, and wherever it is started."""

import subprocess
import sys

import pytest
from hypothesis import settings

from tests.interruptible import interruptible

_STATED = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
_IGNORED = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c"]


def test_no_example_fails_for_the_time_it_took():
    assert settings().deadline is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_what_it_starts_can_be_interrupted_also_where_it_runs_in_the_background():
    started = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {_STATED!r}])"
    within = f"from tests.interruptible import interruptible\nwith interruptible():\n    {started}"
    assert _said(started) == "False"
    assert _said(within) == "True"
    with interruptible():
        done = subprocess.run([sys.executable, "-c", _STATED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def _said(program: str) -> str:
    done = subprocess.run([*_IGNORED, program], capture_output=True, text=True, check=True)
    return done.stdout.strip()
