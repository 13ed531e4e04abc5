"""Checks, batches of submissions and the report that comes of them."""
