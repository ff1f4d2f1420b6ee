"""What is known about a file or a symbol: its code, and what the project says and does about it."""
