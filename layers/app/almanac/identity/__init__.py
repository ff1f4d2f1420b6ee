"""Tenants, their projects, API keys, and the permissions of a request. Builds on the store port only."""
