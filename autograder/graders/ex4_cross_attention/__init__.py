"""The hidden checks of exercise 4, cross-attention.

Canary: attention-course-canary-f3439b6b0f43e489
"""

CANARY = "attention-course-canary-f3439b6b0f43e489"
