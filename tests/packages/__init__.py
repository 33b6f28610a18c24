"""Programs that call packages as the documentation of these shows, and what is refused of them."""
