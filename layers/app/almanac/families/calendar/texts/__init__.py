"""Texts of events: redaction, search documents and announcements."""
