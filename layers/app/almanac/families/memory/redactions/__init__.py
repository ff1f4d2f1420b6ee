"""What was taken out of texts of the whole project before they were stored."""
