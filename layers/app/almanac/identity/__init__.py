"""Tenants, their projects, API keys, and what a request may do. Builds on the store port only."""
