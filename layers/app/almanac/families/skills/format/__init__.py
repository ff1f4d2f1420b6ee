"""Reading of SKILL.md: its front matter, read strictly and leniently."""
