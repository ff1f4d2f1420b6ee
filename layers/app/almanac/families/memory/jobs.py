"""Scheduled jobs of memory."""

from almanac.families.memory.sessions.occasions import JOBS as OF_SESSIONS
from almanac.platform.declaration.jobs import Job

JOBS: tuple[Job, ...] = (*OF_SESSIONS,)
