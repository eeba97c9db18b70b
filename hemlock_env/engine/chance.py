"""Chance (docs/formats.md): one stream for each chance event, begun from a mix of (seed, event).

Every product here is of two 32-bit numbers, so nothing overflows and plain NumPy stays quiet.
"""

import numpy as np

from hemlock_env.engine.state import rule
from hemlock_env.engine.types import Bits

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ROUND_SHIFT = np.uint64(15)
ROUND_FACTOR = np.uint64(0xC2B2AE35)  # odd; MurmurHash3's second finalizer constant
KEY_FACTOR = np.uint64(0x9E3779B1)  # odd; 2^32 over the golden ratio
KEY_STEP = np.uint64(0x7F4A7C15)
ROUNDS = 8
SEED_BITS = np.uint64(2**63 - 1)  # seeds run from 0 to 2^63 - 1
NEVER_ZERO = np.uint64(0x2545F4914F6CDD1D)  # xorshift would stay at 0 for ever
S13, S7, S17 = np.uint64(13), np.uint64(7), np.uint64(17)


@rule
def mix(seed, event):
    """A Feistel network over the halves of `seed`, keyed by `event`: neighbours share nothing."""
    left, right = seed >> HALF, seed & LOW
    key = ((np.uint64(event) + np.uint64(1)) * KEY_FACTOR) & LOW
    for _ in range(ROUNDS):
        product = (right ^ key) * ROUND_FACTOR
        scrambled = (product ^ (product >> ROUND_SHIFT) ^ (product >> HALF)) & LOW
        left, right = right, left ^ scrambled
        key = (key + KEY_STEP) & LOW
    return (left << HALF) | right


@rule
def next_bits(seed):
    """xorshift64: the stream's next state, which is also its output."""
    bits = seed
    bits ^= bits << S13
    bits ^= bits >> S7
    bits ^= bits << S17
    return bits


@rule
def below(bits: Bits, limit):
    """A number in 0..limit-1 from 64 random bits: their upper half, scaled."""
    return np.int64(((bits >> HALF) * np.uint64(limit)) >> HALF)


@rule
def stream_from(seed, event):
    """A new stream, for `next_bits`."""
    bits = mix(seed, event)
    return NEVER_ZERO if bits == np.uint64(0) else bits


@rule
def begin_stream(state, event):
    """Open the stream of one chance event; `end_stream` closes it."""
    state.stream = stream_from(state.seed, event)


@rule
def draw_below(state, limit):
    """A number in 0..limit-1 from the open stream."""
    state.stream = next_bits(state.stream)
    return below(state.stream, limit)


@rule
def end_stream(state):
    """Leave no trace, so that equal games have equal records."""
    state.stream = np.uint64(0)


@rule
def shuffle_night_deck(state):
    """R2.4, R13.2: what is still to come of the night deck, in a new order."""
    for last in range(state.n_deck - 1, 0, -1):
        other = draw_below(state, last + 1)
        card = state.night_deck[last]
        state.night_deck[last] = state.night_deck[other]
        state.night_deck[other] = card
