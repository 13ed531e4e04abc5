"""The hidden checks of exercise 2, causal masking.

Canary: attention-course-canary-981cffcfb55d55d8
"""

CANARY = "attention-course-canary-981cffcfb55d55d8"
