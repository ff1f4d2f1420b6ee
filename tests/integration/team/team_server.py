"""`almanac serve` with the team family alone: `team_server.py FOLDER`."""

import os
import sys
from pathlib import Path

from almanac.families.team.family import family
from almanac.local.data_folder import DataFolder
from almanac.local.start.laptop_server import serve
from almanac.local.start.zone_notes import NO_ZONES

if __name__ == "__main__":
    serve(
        lambda services: (family.open(services),),
        host="127.0.0.1",
        port=0,
        folder=DataFolder(Path(sys.argv[1])),
        given_key=os.environ.get("ALMANAC_API_KEY"),
        zones=NO_ZONES,
        lock_seconds=30,
        out=sys.stdout,
    )
