"""What users call: gradients, their guards and caches, checks."""
