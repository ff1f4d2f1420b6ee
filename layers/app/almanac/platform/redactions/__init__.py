"""Records of secrets that were removed before texts were stored: a row for each write, without the secret itself."""
