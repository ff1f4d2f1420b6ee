"""Capture of events that programs report while an agent works: what is stored, and in which layer."""
