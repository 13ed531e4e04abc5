"""From a file that claims to be a notebook to a `Submission`. Nothing is executed here."""
