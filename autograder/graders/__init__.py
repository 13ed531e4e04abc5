"""The hidden checks: probe inputs, reference answers, what counts as equal, and what a student is told.

Canary: attention-course-canary-7ae596c666ec0293

    words       numbers and values as text that survives any value
    expect      what came back, brought into a plain shape or refused with a sentence
    reference   the right answers, computed apart from the notebooks' model answers
    probes      the inputs that the checks use
    variations  inputs and right answers of exercise 5
    compare     closeness, and where two arrays differ
    diagnoses   the wrong ideas that a failure can be traced to
    attention   what the checks of exercises 1, 2 and 4 have in common
    blocking    what a mask blocks, and whether it can be added
    refusal     whether bad arguments are refused
    verification   how the students' own verification functions are tried
    ex*/        the checks themselves, one folder an assignment

Each module imports only from those above it.
"""

CANARY = "attention-course-canary-7ae596c666ec0293"
