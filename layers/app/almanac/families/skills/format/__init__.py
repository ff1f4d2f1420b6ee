"""The format of SKILL.md: its front matter, read strictly and leniently."""
