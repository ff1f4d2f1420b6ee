"""Settings: one place reads the environment, and says which variable is wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from almanac.composition.settings import Settings, read_settings
from almanac.composition.variables import VARIABLES
from almanac.families.calendar.accounts.providers import LOCK_SECONDS
from almanac.kernel.errors import InvalidInput

READERS = {
    # Reads it once, for everything.
    "composition/variables.py",
    # What Lambda and Powertools set for whoever reports.
    "gateway/observability/powertools.py",
    "gateway/observability/telemetry.py",
    # A script of its own, which clients run where no package is.
    "local/connect/almanac_hook.py",
}


def test_what_is_blank_is_not_set_and_numbers_are_numbers() -> None:
    given = {"ALMANAC_TABLE": " t ", "ALMANAC_BUCKET": " ", "LOCK_TTL_SECS": "60", "PATH": "/bin"}
    assert read_settings(given) == Settings(table="t", lock_seconds=60)
    assert read_settings({}) == Settings()


def test_a_secret_is_taken_as_it_is() -> None:
    assert read_settings({"ALMANAC_CALDAV_PASSWORD": " pass word "}).caldav_password == " pass word "


WRONG = [
    ("ALMANAC_TIER_RATES", "120"),
    ("ALMANAC_TIER_RATES", "120,3000,many"),
    ("ALMANAC_TIER_CALLS", "5,20,-1"),
    ("ALMANAC_TIER_CALLS", "5,20,50,60"),
    ("LOCK_TTL_SECS", "4"),
    ("LOCK_TTL_SECS", "soon"),
    ("OAUTH_REDIRECT_PORT", "x"),
]


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_what_cannot_be_is_refused_with_the_name_of_its_variable_and_what_to_do(name: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=name) as refused:
        read_settings({name: text})
    assert "Who sets it" in refused.value.hint


def test_what_is_needed_and_not_set_is_named() -> None:
    with pytest.raises(InvalidInput, match="ALMANAC_EVENT_BUS is not set"):
        Settings(event_queue="q").require_fields("event_queue", "event_bus")


def test_the_bounds_of_a_lock_are_told() -> None:
    shortest, usual, longest = LOCK_SECONDS
    told = VARIABLES["lock_seconds"].meaning
    assert f"{shortest} to {longest}" in told
    assert f"{usual} where it is not set" in told


def test_every_field_has_its_variable() -> None:
    assert tuple(VARIABLES) == Settings.__struct_fields__


@pytest.mark.parametrize(
    ("door", "missing"),
    [
        ("time/handle_http.py", "ALMANAC_TABLE"),
        ("hub/handle_http.py", "ALMANAC_TABLE"),
        ("authorizer/handle_request.py", "ALMANAC_TABLE"),
        ("feed/handle_stream.py", "ALMANAC_EVENT_QUEUE"),
        ("reactions/handle_queue.py", "ALMANAC_TABLE"),
        ("jobs/handle_schedule.py", "ALMANAC_TABLE"),
        ("feed_push/handle_queue.py", "ALMANAC_TABLE"),
        ("feed_socket/handle_message.py", "ALMANAC_TABLE"),
    ],
)
def test_a_function_without_its_settings_says_so_when_it_starts(repository: Path, door: str, missing: str) -> None:
    program = [sys.executable, repository / "functions" / door]
    done = subprocess.run(program, env={"AWS_REGION": "eu-west-1"}, capture_output=True, text=True, check=False)
    assert f"{missing} is not set." in done.stderr.splitlines()[-1]


def test_nobody_else_reads_the_environment(repository: Path) -> None:
    package = repository / "layers/app/almanac"
    found = {str(file.relative_to(package)) for file in package.rglob("*.py") if _reads_environment(file.read_text())}
    assert found <= READERS


def test_options_of_commands_take_only_variables_that_are_settings(repository: Path) -> None:
    names = {one.name for one in VARIABLES.values()}
    package = repository / "layers/app/almanac"
    taken = {name for file in package.rglob("*.py") for name in re.findall(r'envvar="(\w+)"', file.read_text())}
    assert taken
    assert taken <= names


def test_the_operators_page_has_every_variable_as_it_is(repository: Path) -> None:
    page = (repository / "docs/operating.md").read_text()
    rows = [f"| `{one.name}` | {one.meaning} | {one.source} |" for one in VARIABLES.values()]
    assert "\n".join(rows) in page


def _reads_environment(text: str) -> bool:
    """Return whether a module reads the environment, other than to choose telemetry by Lambda's variables."""
    rest = text.replace("telemetry_for(os.environ)", "")
    return re.search(r"os\.(environ|getenv)|from os import", rest) is not None
