"""Test the time zone of a laptop's user."""

import pytest

from almanac.composition.installation import installation_zone
from almanac.composition.settings import read_settings
from almanac.kernel.errors import InvalidInput
from almanac.local.start.zone_notes import machine_zone


def test_the_machines_own_zone_is_told():
    assert machine_zone(lambda: "America/New_York") == "America/New_York"


@pytest.mark.parametrize("said", ["Etc/UTC", "UTC", "Etc/GMT+3", "GMT", None, "local", ""])
def test_a_machine_on_utc_or_without_a_zone_says_nothing_about_its_user(said: str | None):
    assert machine_zone(lambda: said) is None


@pytest.mark.parametrize(("given", "zone"), [("asia/tokyo", "Asia/Tokyo"), ("UTC", "UTC"), (" ", None), ("", None)])
def test_the_environment_says_the_zone_of_the_installation_also_utc(given: str, zone: str | None):
    assert installation_zone(read_settings({"TIMEZONE": given})) == zone
    assert installation_zone(read_settings({})) is None


def test_a_zone_in_the_environment_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="TIMEZONE"):
        installation_zone(read_settings({"TIMEZONE": "EST"}))
