"""The engine: what is written is found at once, indexed behind the call, and can always be compared and mended."""
