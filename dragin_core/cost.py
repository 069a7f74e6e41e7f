"""What it takes to compute something."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Forward passes of the model, tokens decoded, seconds."""

    forward_passes: int = 0
    decoded_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.forward_passes + other.forward_passes,
            self.decoded_tokens + other.decoded_tokens,
            self.seconds + other.seconds,
        )
