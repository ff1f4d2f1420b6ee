"""Language models that an operator may configure. They write answers for reading, and no write depends on them."""
