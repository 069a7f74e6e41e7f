"""What is costly to compute, remembered by what it was computed from."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class BoundedCache(Generic[Item]):
    """Items by key, the least recently used dropped first; safe to share between threads.

    Args:
        max_bytes: what all items may take; the newest stays whatever it takes.
        size: bytes of one item.
    """

    def __init__(self, max_bytes: int, size: Callable[[Item], int]):
        self._max_bytes, self._size, self._bytes = max_bytes, size, 0
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Item | None:
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: Hashable, item: Item) -> None:
        with self._lock:
            self._forget(key)
            self._items[key] = item
            self._bytes += self._size(item)
            while self._bytes > self._max_bytes and len(self._items) > 1:
                self._bytes -= self._size(self._items.popitem(last=False)[1])

    def drop(self, key: Hashable) -> None:
        with self._lock:
            self._forget(key)

    def _forget(self, key: Hashable) -> None:
        if key in self._items:
            self._bytes -= self._size(self._items.pop(key))
