"""The format of SKILL.md, with a strict and a lenient parser for its front matter."""
