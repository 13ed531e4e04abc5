"""The untrusted side: one confined process per submission, and the trusted code that talks to it."""
