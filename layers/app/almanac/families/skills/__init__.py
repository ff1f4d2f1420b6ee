"""The skills family: packaged playbooks."""
