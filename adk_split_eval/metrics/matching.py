"""Maximum bipartite matching, so that an early loose expectation never takes the call a strict one needs.

Hopcroft and Karp, "An n^(5/2) algorithm for maximum matchings in bipartite graphs" (SIAM J. Comput. 2, 1973), and an
incremental variant for expectations in order. Everything is iterative and polynomial.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

FREE = -1
Fits = Callable[[int, int], bool]


def maximum_matching(edges: Sequence[Sequence[int]], right: int) -> list[int]:
    """A largest matching of the left vertices (indices of ``edges``) into ``range(right)``.

    Returns:
        For each left vertex its partner, or :data:`FREE`.
    """
    partner = [FREE] * len(edges)
    owner = [FREE] * right
    while True:
        layer = _layers(edges, partner, owner)
        cursor = [0] * len(edges)
        grown = False
        for root, mate in enumerate(partner):
            if mate == FREE and layer[root] == 0:
                grown |= _augment(edges, partner, owner, layer, cursor, root)
        if not grown:
            return partner


def _layers(edges: Sequence[Sequence[int]], partner: list[int], owner: list[int]) -> list[int]:
    """Distance of each left vertex from the free ones along alternating paths; -1 where there is none."""
    layer = [0 if mate == FREE else -1 for mate in partner]
    queue = deque(index for index, mate in enumerate(partner) if mate == FREE)
    while queue:
        left = queue.popleft()
        for right in edges[left]:
            following = owner[right]
            if following != FREE and layer[following] < 0:
                layer[following] = layer[left] + 1
                queue.append(following)
    return layer


def _augment(
    edges: Sequence[Sequence[int]],
    partner: list[int],
    owner: list[int],
    layer: list[int],
    cursor: list[int],
    root: int,
) -> bool:
    """Depth-first search for one augmenting path from ``root`` along the layers; applied when found."""
    path = [root]
    while path:
        left = path[-1]
        if cursor[left] == len(edges[left]):
            path.pop()
            if path:
                cursor[path[-1]] += 1
            continue
        following = owner[edges[left][cursor[left]]]
        if following == FREE:
            for vertex in path:
                right = edges[vertex][cursor[vertex]]
                partner[vertex], owner[right] = right, vertex
            return True
        if layer[following] == layer[left] + 1:
            path.append(following)
        else:
            cursor[left] += 1
    return False


def match_in_order(groups: Sequence[int], steps: Sequence[int], fits: Fits) -> list[int] | None:
    """Match expected calls, in groups that follow each other, to actual calls, in steps that follow each other.

    ``groups`` and ``steps`` are the sizes. Every expected call must find a fitting call; all calls of a group come in no
    later step than any call of the next group. Calls of one step have no order, so two groups may share a step.
    Actual calls may be left over.

    Taking for each group the earliest possible last step is never worse: what later groups use lies in that step or
    after it. So each group gets the steps from its predecessor's last one on, and the matching grows step by step,
    rearranging earlier choices along alternating paths.

    Returns:
        For each expected call the actual one, or None when there is no such matching.
    """
    return _Ordered(groups, steps, fits).solve()


class _Ordered:
    def __init__(self, groups: Sequence[int], steps: Sequence[int], fits: Fits) -> None:
        self.groups = groups
        self.fits = fits
        self.step_starts = [0]
        for size in steps:
            self.step_starts.append(self.step_starts[-1] + size)
        self.last_step = len(steps) - 1
        self.partner = [FREE] * sum(groups)
        self.owner = [FREE] * self.step_starts[-1]
        self.edges: list[list[int]] = [[] for _ in range(sum(groups))]

    def solve(self) -> list[int] | None:
        if self.last_step < 0:
            return None if self.partner else []
        reached = 0
        first = 0
        for size in self.groups:
            members = range(first, first + size)
            self._open(members, reached)
            for root in members:
                tree = self._settle(root)
                while tree is not None:
                    if reached == self.last_step:
                        return None
                    reached += 1
                    if self._open(members, reached, tree):
                        tree = None
            first += size
        return self.partner

    def _open(self, members: range, step: int, tree: dict[int, int] | None = None) -> bool:
        """Let the calls of one step be partners of the group's members.

        ``tree`` is the search that found no free call so far; whether one of the new calls, all of them free, ends it.
        """
        reached: set[int] = (
            set() if tree is None else {tree[FREE], *(self.owner[right] for right in tree if right != FREE)}
        )
        end: int | None = None
        for left in members:
            for right in range(self.step_starts[step], self.step_starts[step + 1]):
                if self.fits(left, right):
                    self.edges[left].append(right)
                    if tree is not None and end is None and left in reached:
                        tree[right] = left
                        end = right
        if tree is None or end is None:
            return False
        self._flip(end, tree)
        return True

    def _settle(self, root: int) -> dict[int, int] | None:
        """Breadth-first search for an augmenting path from ``root``; applied when found.

        Returns:
            None when the root found its partner, else the search tree: call -> expected call it was reached from,
            and the root itself under :data:`FREE`.
        """
        tree: dict[int, int] = {FREE: root}
        queue = deque([root])
        while queue:
            left = queue.popleft()
            for right in self.edges[left]:
                if right in tree:
                    continue
                tree[right] = left
                if self.owner[right] == FREE:
                    self._flip(right, tree)
                    return None
                queue.append(self.owner[right])
        return tree

    def _flip(self, right: int, tree: dict[int, int]) -> None:
        while right != FREE:
            left = tree[right]
            following = self.partner[left]
            self.partner[left], self.owner[right] = right, left
            right = following
