"""Search over turns, pinned and semantic memories, summaries, and documents of other families in a project."""
