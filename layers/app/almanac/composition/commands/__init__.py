"""Parts of families for the commands of the laptop, which may not import families themselves."""
