"""How many sequences of calls are tried, how long they are, and where their slots begin."""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

STARTS = st.integers(0, 24).map(lambda quarter: quarter * 15)

SEQUENCES = settings(
    max_examples=int(os.environ.get("ALMANAC_MODEL_EXAMPLES", "60")),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
