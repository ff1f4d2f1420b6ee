"""Test random sending, reading and acknowledging of mail against a small model."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.kernel.clock import FixedClock
from tests.unit.families.team.mail_model import ACTORS, ADDRESSES, VERBS, MailModel, Step
from tests.unit.families.team.teams import Team

steps = st.lists(
    st.tuples(
        st.builds(
            Step, st.sampled_from(VERBS), st.sampled_from(ACTORS), st.sampled_from(ADDRESSES), st.integers(0, 30)
        ),
        # Clocks of servers differ: the next message may be written with an earlier time.
        st.sampled_from([0, 1, 1000, -2000]),
        st.booleans(),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_mail_answers_as_the_model_does(asked: list[tuple[Step, int, bool]]) -> None:
    clock, model = FixedClock(datetime(2026, 2, 18, tzinfo=UTC)), MailModel()
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder), clock)
        for step, pause_ms, restarts in asked:
            clock.instant += timedelta(milliseconds=pause_ms)
            model.take(step, team.project)
            if restarts:
                team.database.close()
                team = Team(Path(folder), clock)
        for actor in ACTORS:
            model.take(Step("read", actor, (), 0), team.project)
        acknowledged = [(each.payload["acknowledged_by"], each.key) for each in team.events("message_acknowledged")]
        assert sorted(acknowledged) == sorted(model.acknowledged)
        assert len(team.events("message_sent")) == len(model.sent)
        team.database.close()
