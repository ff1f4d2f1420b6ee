"""Handlers of API Gateway's events and of queues. Lambda and the laptop run the same handlers."""
