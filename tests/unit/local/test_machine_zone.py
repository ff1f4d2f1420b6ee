"""Where the user of a laptop is."""

import pytest

from almanac.kernel.errors import InvalidInput
from almanac.local.machine_zone import default_zone


def test_the_machines_own_zone_is_the_default():
    assert default_zone({}, lambda: "America/New_York") == "America/New_York"


def test_the_environment_comes_first_also_with_utc():
    assert default_zone({"TIMEZONE": "asia/tokyo"}, lambda: "America/New_York") == "Asia/Tokyo"
    assert default_zone({"TIMEZONE": "UTC"}, lambda: "America/New_York") == "UTC"


@pytest.mark.parametrize("said", ["Etc/UTC", "UTC", None, "local", ""])
def test_a_machine_on_utc_or_without_a_zone_says_nothing_about_its_user(said: str | None):
    assert default_zone({}, lambda: said) is None


def test_a_zone_in_the_environment_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="TIMEZONE"):
        default_zone({"TIMEZONE": "EST"}, lambda: None)
