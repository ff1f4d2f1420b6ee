"""What a SKILL.md says: its front matter, read strictly and leniently."""
