"""What is done by schedule, in a process of its own, as of some seconds from now: `recovering.py FOLDER SECONDS`."""

import sys
from datetime import timedelta
from pathlib import Path

from almanac.composition.jobs import CHORES
from almanac.composition.reactions import services_for
from almanac.families.calendar.accounts.reach import Providers
from almanac.gateway.events.job_rounds import do_chores
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.local.calendars.accounts import open_remotes
from almanac.local.data_folder import DataFolder


def main(folder: DataFolder, seconds: int) -> None:
    clock = FixedClock(SystemClock().now() + timedelta(seconds=seconds))
    store = folder.open_store(clock)

    def report(what: str, failed: BaseException) -> None:
        sys.exit(f"{what}: {failed}")

    do_chores(CHORES, services_for(store, clock, Providers(open_remotes(folder, lambda: store))), report)
    store.close()


if __name__ == "__main__":
    main(DataFolder(Path(sys.argv[1])), int(sys.argv[2]))
