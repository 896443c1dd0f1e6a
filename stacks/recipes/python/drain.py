"""The body of a refusal is read so that its connection can be used again, but not at any price: a
server may send one without end, or stall, and another connection costs less."""
import time

LIMIT = 64 << 10
"""The longest body, in bytes."""
PATIENCE = 1
"""Seconds for the body, and then for the read that is under way: at most two in all."""


def drain(pieces):
    """Reads to the end, or as far as is allowed."""
    end, rest = time.monotonic() + PATIENCE, LIMIT
    for piece in pieces:
        rest -= len(piece)
        if rest < 0 or time.monotonic() > end:
            break
