"""Facts: recording, views and endings."""
