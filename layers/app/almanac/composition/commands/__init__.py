"""Parts of families for the laptop's commands, which may not import families themselves."""
