"""The outline of a file: what it defines, where, and with which words."""
