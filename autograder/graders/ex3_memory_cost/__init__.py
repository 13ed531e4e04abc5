"""The hidden checks of exercise 3, the memory cost.

Canary: attention-course-canary-693d9d5213232c50
"""

CANARY = "attention-course-canary-693d9d5213232c50"
