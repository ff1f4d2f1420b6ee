"""How memories that projects share fade, and are forgotten where nobody uses them."""
