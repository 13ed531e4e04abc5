"""Wrong answers to all exercises."""

from __future__ import annotations

from answers.wrong import (
    ex1_attention,
    ex1_others,
    ex1_softmax,
    ex2_attention,
    ex2_mask,
    ex3,
    ex3b,
    ex4,
    ex5_heads,
    ex5_masks,
    ex5_shares,
)

WRONG = [
    *ex1_softmax.WRONG,
    *ex1_attention.WRONG,
    *ex1_others.WRONG,
    *ex2_mask.WRONG,
    *ex2_attention.WRONG,
    *ex3.WRONG,
    *ex3b.WRONG,
    *ex4.WRONG,
    *ex5_masks.WRONG,
    *ex5_shares.WRONG,
    *ex5_heads.WRONG,
]

# Checks that no wrong answer fails alone, and why they are kept.
SHAPES = "the other checks presuppose the shapes; this one says in one place what is asked for"
SUMS = "its message names the one thing that is wrong with the sums; the values alone do not"
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
    "test_combine_blocks_what_either_mask_blocks": "it is the rule itself; the others look at one trap each",
    "test_rows_blocked_from_end_to_end_are_zero": "it is the usual mask; large negative numbers are a finer point",
    "test_linear_attention_shares_one_budget": SUMS,
    "test_the_future_plays_no_part_in_the_sums": SUMS,
    "test_the_first_row_is_the_first_value": SUMS,
    "test_every_head_attends_with_its_own_columns": "it is the split itself; where it is wrong, no scaling can be seen",
}
