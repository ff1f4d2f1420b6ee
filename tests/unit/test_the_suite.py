"""The suite holds under load, in any order, and wherever it is started."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest
import yaml
from hypothesis import HealthCheck, settings

from tests.order import shuffle

_HOSTILE_RUNNER = """
import os, signal, sys
ended = {signal.SIGINT, signal.SIGTERM}
for number in ended:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {*ended, signal.SIGPIPE, signal.SIGALRM})
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""
_STARTS_A_CHILD = """
import signal, subprocess, sys
from tests.signals import forget_inherited_signals
if sys.argv[1] == "forgets":
    forget_inherited_signals()
child = "import signal; print(signal.pthread_sigmask(0, ()), [signal.getsignal(n).__class__.__name__ for n in (2, 15)])"
subprocess.run([sys.executable, "-c", child], check=True)
"""
_IMPORTS_IN_A_CHILD = """
import subprocess, sys
from pathlib import Path
from tests.bytecode import keep_bytecode
keep_bytecode(Path("kept"))
subprocess.run([sys.executable, "-c", "import sample"], check=True)
"""


class Item(NamedTuple):
    path: str
    name: str


@pytest.fixture
def items() -> list[Item]:
    return [Item(f"test_{file}.py", f"test_{number}") for file in range(5) for number in range(4)]


def test_no_example_fails_for_the_time_it_took_and_all_runs_but_soaks_have_the_same(pytestconfig: pytest.Config):
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
    assert settings().derandomize is not pytestconfig.getoption("new_examples")


def test_cpu_time_is_read_in_one_place_and_guards_against_hanging_are_long(repository: Path):
    tests = {path.relative_to(repository / "tests"): path.read_text() for path in repository.glob("tests/**/*.py")}
    reading = {str(path) for path, text in tests.items() if re.search(r"(process|thread)_time\(\)", text)}
    guards = {int(seconds) for text in tests.values() for seconds in re.findall(r"mark\.timeout\((\d+)", text)}

    # The other measures the pages of a large project in a soak.
    assert {path for path in reading if not path.startswith("bench/")} == {
        "cpu_time.py",
        "integration/dashboard/test_speed.py",
    }
    assert min(guards) >= 600


def test_what_is_started_can_be_stopped_where_the_runner_ignores_and_blocks_signals(repository: Path):
    def run_hostile(how: str) -> str:
        command = [sys.executable, "-c", _HOSTILE_RUNNER, _STARTS_A_CHILD, how]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=repository).stdout.strip()

    assert run_hostile("forgets") == "set() ['builtin_function_or_method', 'Handlers']"
    assert run_hostile("inherits") != run_hostile("forgets")


def test_this_run_has_forgotten_what_its_runner_ignored():
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    assert signal.SIG_IGN not in map(signal.getsignal, (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD))


@pytest.mark.parametrize(("flag", "kept"), [("1", "kept"), ("", "__pycache__")])
def test_what_is_started_is_compiled_once_also_where_no_bytecode_is_wanted(
    tmp_path: Path, repository: Path, flag: str, kept: str
):
    (tmp_path / "sample.py").write_text("x = 1\n")
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPYCACHEPREFIX"}
    path = os.pathsep.join(map(str, (repository, tmp_path)))
    environment = {**inherited, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": flag}

    subprocess.run([sys.executable, "-c", _IMPORTS_IN_A_CHILD], cwd=tmp_path, env=environment, check=True)

    assert [file.relative_to(tmp_path).parts[0] for file in tmp_path.rglob("sample.*.pyc")] == [kept]


def test_the_order_follows_from_the_seed_and_files_stay_together(items: list[Item]):
    orders = [shuffle(items, seed) for seed in range(4)]

    assert orders[0] == shuffle(items, 0)
    assert len(set(map(tuple, orders))) == len(orders)
    for order in orders:
        assert sorted(order) == items
        assert len(list(_files(order))) == 5


def test_ci_leaves_no_test_out_but_soaks(repository: Path):
    rules = (repository / "Makefile").read_text()
    (command,) = [line for line in rules.splitlines() if line.startswith("PYTEST :=")]

    assert "\nci: check templates tools $(TOOLS)/sam/.ready test-all build-here e2e " in rules
    assert " -m " not in command
    assert rules.partition("\ntest-all: ")[2].splitlines()[1] == '\t$(PYTEST) -m "not soak" $(ARGS)'
    # Two runs that leave nothing out between them, and the pages.
    end_to_end = rules.partition("\ne2e: ")[2]
    chosen = [line.strip(" \t{;\\").partition(" $(ARGS)")[0] for line in end_to_end.splitlines()[2:6]]
    assert [line for line in chosen if line.startswith("$(BIN)/pytest")] == [
        '$(BIN)/pytest tests/e2e -m "not soak" -k laptop',
        '$(BIN)/pytest tests/browser -m "not soak"',
        '$(BIN)/pytest tests/e2e -m "not soak" -k "not laptop"',
    ]
    assert rules.partition("\nsoak: ")[2].splitlines()[1:3] == [
        "\t$(BIN)/pytest -m soak $(ARGS) tests",
        '\t$(BIN)/pytest -m "hypothesis and not soak" --new-examples $(ARGS) tests',
    ]


@pytest.mark.slow
def test_what_a_test_end_to_end_stands_on_does_not_count_to_its_time(repository: Path):
    collected = """
        import pytest

        class Collected:
            def pytest_collection_finish(self, session):
                for item in session.items:
                    timeout = item.get_closest_marker("timeout")
                    print("bound", timeout.args[0], timeout.kwargs["func_only"], item.path.stem)

        files = ["tests/e2e/test_skills.py", "tests/e2e/test_smoke.py"]
        pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *files], [Collected()])
    """
    command = [sys.executable, "-c", dedent(collected)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=repository).stdout
    bounds = [line.split()[1:] for line in said.splitlines() if line.startswith("bound ")]

    assert {*map(tuple, bounds)} == {("600.0", "True", "test_skills"), ("900", "True", "test_smoke")}


def test_pre_commit_runs_what_make_check_runs(repository: Path):
    (targets,) = re.findall(r"^check: ([a-z -]+) ##", (repository / "Makefile").read_text(), re.MULTILINE)
    (local,) = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text())["repos"]

    assert {*targets.split()} <= {hook["id"] for hook in local["hooks"]}


def _files(order: list[Item]) -> Iterator[str]:
    return (path for path, _ in groupby(order, key=lambda item: item.path))
