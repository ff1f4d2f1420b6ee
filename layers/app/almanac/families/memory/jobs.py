"""Scheduled jobs of memory."""

from almanac.platform.declaration.jobs import Job

JOBS: tuple[Job, ...] = ()
