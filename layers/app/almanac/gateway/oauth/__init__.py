"""The pages and endpoints by which clients sign in with OAuth 2.1."""
