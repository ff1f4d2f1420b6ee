"""The doors' inside: API Gateway's events in, answers out. One handler serves Lambda and the laptop."""
