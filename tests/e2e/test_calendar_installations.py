"""Two installations with data of their own book in one calendar of a CalDAV server, fifty times over."""

from pathlib import Path

import pytest

from tests.integration.caldav.conftest import Account, account, http, radicale
from tests.integration.caldav.installations import check_rounds
from tests.integration.calendar.race import CLIENTS, ROUNDS

__all__ = ["account", "http", "radicale"]
pytestmark = pytest.mark.timeout(900)


def test_at_most_one_of_twenty_clients_in_two_installations_books_each_slot(account: Account, tmp_path: Path) -> None:
    check_rounds(tmp_path, account, wanted=ROUNDS, clients=CLIENTS)
