"""The hidden checks of exercise 5, variations: other masks, other shares, several heads.

Canary: attention-course-canary-d18f36a0c5e4792b
"""

CANARY = "attention-course-canary-d18f36a0c5e4792b"
