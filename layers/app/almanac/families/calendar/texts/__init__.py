"""Texts of events: without secrets, and as search knows them."""
