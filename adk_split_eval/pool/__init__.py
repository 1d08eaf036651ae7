"""Candidates on disk: every hit of the probe as one readable file, counted, reviewed, and drafted as a fixed case."""

from adk_split_eval.pool.candidate import HOLE, Candidate, Hit, Review, Seen
from adk_split_eval.pool.collect import candidates_from
from adk_split_eval.pool.draft import holes
from adk_split_eval.pool.files import decided, find, headers, load, load_header, pool_dir, store
from adk_split_eval.pool.reading import PoolError
from adk_split_eval.pool.remarks import frozen_remarks

__all__ = [
    "HOLE",
    "Candidate",
    "Hit",
    "PoolError",
    "Review",
    "Seen",
    "candidates_from",
    "decided",
    "find",
    "frozen_remarks",
    "headers",
    "holes",
    "load",
    "load_header",
    "pool_dir",
    "store",
]
