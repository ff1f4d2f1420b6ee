"""Scheduled jobs of context."""

from almanac.families.context.fading.fading import FADE
from almanac.platform.declaration.jobs import Job

JOBS: tuple[Job, ...] = (FADE,)
