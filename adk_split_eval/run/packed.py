"""Long lists in little memory: each item is kept pickled and comes back as a fresh object when it is asked for.

A compiled case takes 8 KB as objects and half a KB packed. A run of ten thousand cases holds 64 of them unpacked at once.
"""

from __future__ import annotations

import gc
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from adk_split_eval.record import CompiledPlan

T = TypeVar("T")

FROM = 500
"""Shorter lists are left as they are."""


class Packed(Sequence[T], Generic[T]):
    """A sequence of fixed length; what is changed on an item that was taken out is changed on that copy alone.

    Attributes:
        replaced: places whose item was set anew.
    """

    __slots__ = ("_blobs", "replaced")

    def __init__(self, items: Iterable[T] = (), *, blobs: list[bytes] | None = None) -> None:
        self._blobs: list[bytes] = blobs if blobs is not None else [pack(item) for item in items]
        self.replaced: set[int] = set()

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Packed[T]: ...
    def __getitem__(self, index: int | slice) -> T | Packed[T]:
        if isinstance(index, slice):
            return Packed[T](blobs=self._blobs[index])
        return unpack(self._blobs[index])

    def __setitem__(self, index: int, item: T) -> None:
        self._blobs[index] = pack(item)
        self.replaced.add(index)

    def __len__(self) -> int:
        return len(self._blobs)

    def __iter__(self) -> Iterator[T]:
        return map(unpack, self._blobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)  # pyright: ignore[reportUnknownArgumentType]

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def chosen(self, indexes: Iterable[int]) -> Packed[T]:
        return Packed[T](blobs=[self._blobs[i] for i in indexes])


def pack(item: Any) -> bytes:
    return zlib.compress(pickle.dumps(item, pickle.HIGHEST_PROTOCOL), 1)


def unpack(blob: bytes) -> Any:
    return pickle.loads(zlib.decompress(blob))


def pick(items: Sequence[T], wanted: Callable[[T], bool]) -> Sequence[T]:
    """The items that are ``wanted``, packed if ``items`` are."""
    if isinstance(items, Packed):
        return items.chosen(i for i, item in enumerate(items) if wanted(item))
    return [item for item in items if wanted(item)]


def pack_plan(compiled: CompiledPlan) -> None:
    """Pack the cases of a long plan in place, and let go of the generated sets, which are written by now."""
    if len(compiled.cases) < FROM or isinstance(compiled.cases, Packed):
        return
    blobs: list[bytes] = []
    for compiled_set in compiled.sets:
        compiled_set.eval_set = {}
    compiled.cases.reverse()
    while compiled.cases:
        blobs.append(pack(compiled.cases.pop()))
    compiled.cases = Packed[Any](blobs=blobs)  # pyright: ignore[reportAttributeAccessIssue]
    # What reading and compiling left behind goes before google-adk comes, which then takes its place.
    gc.collect()
