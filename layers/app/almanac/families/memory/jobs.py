"""Scheduled jobs of memory."""

from almanac.families.memory.memories.expiry import LAPSE
from almanac.families.memory.memories.purge import PURGE
from almanac.families.memory.sessions.triggers import JOBS as SESSION_JOBS
from almanac.platform.declaration.jobs import Job

JOBS: tuple[Job, ...] = (LAPSE, PURGE, *SESSION_JOBS)
