"""The hidden checks of exercise 1, scaled dot-product attention.

Canary: attention-course-canary-5675c07b502cf5f3
"""

CANARY = "attention-course-canary-5675c07b502cf5f3"
