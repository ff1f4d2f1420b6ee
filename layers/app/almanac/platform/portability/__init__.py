"""Export files of tenants, as JSON lines. Another installation can restore them, also on another technology."""
