"""Quotas, outages and access tokens."""

from datetime import timedelta

import pytest

from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Forbidden, Unavailable
from tests.doubles.google_calendar import FakeGoogle
from tests.unit.families.calendar.google.reviews import ID, REVIEW, WORK


def test_calls_over_the_quota_are_repeated_after_growing_pauses(
    provider: GoogleProvider, google: FakeGoogle, backoff: list[float]
) -> None:
    google.over_quota = [403, 429, 403]
    provider.create(WORK, REVIEW)
    assert backoff == [1.5, 2.5, 4.5]


def test_a_quota_that_stays_exhausted_is_unavailable(
    provider: GoogleProvider, google: FakeGoogle, backoff: list[float]
) -> None:
    google.over_quota = [429] * 9
    with pytest.raises(Unavailable, match="Google Calendar is asked too often"):
        provider.create(WORK, REVIEW)
    assert len(backoff) == 3


def test_a_long_wait_is_passed_on_instead_of_taken(
    provider: GoogleProvider, google: FakeGoogle, backoff: list[float]
) -> None:
    google.over_quota, google.retry_after = [429], "120"
    with pytest.raises(Unavailable) as refused:
        provider.create(WORK, REVIEW)
    assert "120 seconds" in refused.value.hint
    assert backoff == []


def test_a_server_that_fails_after_its_write_leaves_what_a_repetition_finds(
    provider: GoogleProvider, google: FakeGoogle
) -> None:
    google.fail = [-503]
    with pytest.raises(Unavailable):
        provider.create(WORK, REVIEW)
    assert provider.create(WORK, REVIEW).id == ID
    assert len(google.events[WORK.id]) == 1


def test_one_access_token_serves_until_it_expires(
    provider: GoogleProvider, google: FakeGoogle, clock: FixedClock
) -> None:
    provider.create(WORK, REVIEW)
    provider.find(WORK, ID)
    assert google.tokens_given == 1
    clock.instant += timedelta(minutes=59, seconds=30)
    provider.find(WORK, ID)
    assert google.tokens_given == 2


def test_a_token_that_ended_early_is_replaced_once(provider: GoogleProvider, google: FakeGoogle) -> None:
    provider.create(WORK, REVIEW)
    google.access_tokens.clear()
    assert provider.find(WORK, ID) is not None
    assert google.tokens_given == 2


def test_a_permission_that_was_taken_back_is_forbidden_and_says_how_to_go_on(
    provider: GoogleProvider, google: FakeGoogle
) -> None:
    google.refresh_token = "another"
    with pytest.raises(Forbidden) as refused:
        provider.find(WORK, ID)
    assert "almanac calendar connect google" in refused.value.hint
    assert "refresh-1" not in str(refused.value)
