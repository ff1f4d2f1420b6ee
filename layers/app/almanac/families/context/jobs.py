"""Scheduled jobs of context."""

from almanac.families.context.decay.unused_memories import FADE
from almanac.platform.declaration.jobs import Job

JOBS: tuple[Job, ...] = (FADE,)
