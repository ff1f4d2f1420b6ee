"""Conversion of events to and from iCalendar (RFC 5545) with the `icalendar` library, which is imported on
first use."""
