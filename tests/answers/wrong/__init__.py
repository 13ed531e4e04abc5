"""Wrong answers to all exercises."""

from __future__ import annotations

from answers.wrong import ex1_attention, ex1_others, ex1_softmax, ex2_attention, ex2_mask, ex3, ex3b, ex4

WRONG = [
    *ex1_softmax.WRONG,
    *ex1_attention.WRONG,
    *ex1_others.WRONG,
    *ex2_mask.WRONG,
    *ex2_attention.WRONG,
    *ex3.WRONG,
    *ex3b.WRONG,
    *ex4.WRONG,
]

# Checks that no wrong answer fails alone, and why they are kept.
SHAPES = "the other checks presuppose the shapes; this one says in one place what is asked for"
GROWTH = "a wrong count shows elsewhere too; this one says how it should grow"
KEPT: dict[str, str] = {
    "test_softmax_ignores_a_shift": "it names the property that makes softmax safe, with a message of its own",
    "test_attention_returns_output_and_weights": SHAPES,
    "test_causal_attention_returns_output_and_weights": SHAPES,
    "test_cross_attention_returns_output_and_weights": SHAPES,
    "test_attention_memory_grows_with_the_square": GROWTH,
    "test_ffn_memory_grows_with_length_and_width": GROWTH,
    "test_crossover_of_several_models": "it is the right value itself; the others look at one trap each",
    "test_measuring_starts_afresh": "whoever forgets the reset fails others too; this one shows that the order counts",
    "test_order_of_the_source_does_not_matter": "its message says what shuffling shows",
    "test_every_query_reads_the_whole_source": "its message points at the row that does not read to the end",
}
