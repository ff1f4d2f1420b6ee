"""Records of secrets that were removed before texts were stored. Each write has a record, without the secret itself."""
