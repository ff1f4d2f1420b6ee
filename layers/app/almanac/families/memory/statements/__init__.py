"""Tells what a sentence does in a talk: whether it decides, forbids, asks, reports or fills."""
