"""The event by which a turn is counted anew: who writes another content into a turn tells it, with its `turn_id`."""

TURN_REWRITTEN = "turn_rewritten"
