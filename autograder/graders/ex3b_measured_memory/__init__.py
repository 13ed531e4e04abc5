"""The hidden checks of exercise 3b, the measured memory.

Canary: attention-course-canary-c2f61a0d7e94b835
"""

CANARY = "attention-course-canary-c2f61a0d7e94b835"
