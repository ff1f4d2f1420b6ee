"""What time drives, once a minute."""

from almanac.composition.aws import services_on_aws
from almanac.composition.jobs import CHORES
from almanac.gateway.events.schedule_door import schedule_handler

handler = schedule_handler(CHORES, services_on_aws)
