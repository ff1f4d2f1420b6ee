"""Run scheduled work in a process of its own, as of some seconds from now: `recovering.py FOLDER SECONDS`."""

import sys
from datetime import timedelta
from pathlib import Path

from almanac.composition.families import every_job
from almanac.composition.laptop import laptop_services
from almanac.families.calendar.accounts.providers import LOCK_SECONDS
from almanac.gateway.events.job_rounds import run_survey
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.local.data_folder import DataFolder


def main(folder: DataFolder, seconds: int) -> None:
    clock = FixedClock(SystemClock().now() + timedelta(seconds=seconds))
    store = folder.open_store(clock)

    def report(what: str, failed: BaseException) -> None:
        sys.exit(f"{what}: {failed}")

    run_survey(every_job(), laptop_services(store, clock, folder.sealing_key_file, LOCK_SECONDS[1]), report)
    store.close()


if __name__ == "__main__":
    main(DataFolder(Path(sys.argv[1])), int(sys.argv[2]))
