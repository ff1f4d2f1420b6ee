"""What was taken out of texts before they were stored: a row for each write, told without the secret itself."""
