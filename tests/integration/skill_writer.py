"""Installs versions of one skill beside others without end, and says each that was acknowledged: its number and body.

python -m tests.integration.skill_writer PATH WRITER
"""

import os
import sys
from itertools import count
from pathlib import Path

from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.installation import SkillInstallation, install
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.project import patient_backoff
from tests.contract.backends import Place
from tests.unit.families.skills.installed import skill_md

SCOPE = Scope("tenant", "main")


def skills_at(path: Path) -> SkillProject:
    clock = SystemClock()
    store = Place("sqlite", str(path)).open(clock)
    return SkillProject(store, SCOPE, "ann", clock, os.urandom, patient_backoff())


def main(path: str, writer: str) -> None:
    project = skills_at(Path(path))
    for number in count():
        body = f"{writer}-{number}"
        made = install(
            project, SkillInstallation(skill_md=skill_md(body=body), files={"a.md": f"{body}\n" * 200, "b.md": body})
        )
        assert made.version is not None
        sys.stdout.write(f"{made.version.number} {body}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
