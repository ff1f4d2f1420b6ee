"""The skills that come with Almanac, ready to be installed."""
