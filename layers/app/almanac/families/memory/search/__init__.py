"""Search over what is remembered: turns, pinned and semantic memories, summaries, and what else a project keeps."""
