"""Events to and from iCalendar (RFC 5545), by the `icalendar` library, which is imported when it is first needed."""
