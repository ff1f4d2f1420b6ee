"""What time drives, once a minute."""

from almanac.gateway.aws import services_on_aws
from almanac.gateway.chores import CHORES
from almanac.gateway.schedule_door import schedule_handler

handler = schedule_handler(CHORES, services_on_aws)
