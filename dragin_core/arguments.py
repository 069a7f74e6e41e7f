"""Command lines whose errors are one sentence."""

import argparse

from .errors import InputError


class Parser(argparse.ArgumentParser):
    """A parser that raises :class:`InputError` for a bad call, rather than printing how to call it and leaving."""

    def error(self, message: str):
        raise InputError(f"{message[:1].upper()}{message[1:].rstrip('.')}: see {self.prog} --help.")
