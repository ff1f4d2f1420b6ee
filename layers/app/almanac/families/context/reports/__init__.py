"""Capture of events that programs report while an agent works: their memories and layers."""
