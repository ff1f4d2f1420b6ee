"""The layers, their memories, and views of these."""
