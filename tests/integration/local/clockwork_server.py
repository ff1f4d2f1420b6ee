"""`almanac serve` with the two families of the tests instead of Almanac's own."""

import os
import sys
from pathlib import Path

from almanac.kernel.errors import AlmanacError
from almanac.local.data_folder import DataFolder
from almanac.local.start.laptop_server import serve
from almanac.local.start.zone_notes import NO_ZONES
from tests.clockwork import FAMILIES

if __name__ == "__main__":
    folder = DataFolder(Path(sys.argv[1]))
    seconds = int(sys.argv[2])
    key = os.environ.get("ALMANAC_API_KEY")
    try:
        serve(
            lambda services: FAMILIES,
            host="127.0.0.1",
            port=0,
            folder=folder,
            given_key=key,
            zones=NO_ZONES,
            lock_seconds=30,
            out=sys.stdout,
            stop_seconds=seconds,
        )
    except AlmanacError as refused:
        sys.exit(str(refused))
