"""The errors a user can mend: one sentence that says what to change."""


class InputError(ValueError):
    """Bad input. The message is one sentence for the user; the command line exits 2 with it, the page shows it."""


class ModelError(InputError):
    """A language model that cannot be loaded, cannot be explained, or computes something that is not a number."""


class DownloadError(InputError):
    """A packaged part that could not be fetched or verified. Nothing half-written is left behind."""


def not_numbers(name: str, dtype) -> ModelError:
    """What is said of a model that computes NaN or infinities in the torch dtype it was loaded in."""
    kind = str(dtype).removeprefix("torch.")
    return ModelError(f"{name} in {kind} gave logits that are not numbers: load it in another dtype.")
