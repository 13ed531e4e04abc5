"""Hostile submissions: what each tries, what becomes of it, and what stops it."""
