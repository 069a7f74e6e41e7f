"""Turns a GGUF file into a directory that transformers loads at once, in a process of its own.

    python -m dragin_core.conversion FILE.gguf DIRECTORY

Reading a GGUF takes many seconds and more than a gigabyte, and its progress bars cannot be told to be silent; in a
process of its own it leaves nothing behind in the one that explains.
"""

import sys
from pathlib import Path


def convert(gguf: Path, directory: Path) -> None:
    """Write the model (float32, safetensors) and the tokenizer of ``gguf`` into the existing ``directory``.

    Raises:
        RuntimeError: the stored model does not compute exactly the same as the one read from ``gguf``.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = str(gguf.parent), gguf.name
    read = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    AutoTokenizer.from_pretrained(folder, gguf_file=name).save_pretrained(directory)
    config = read.config
    del config.quantization_config
    with torch.device("meta"):  # no memory and no random numbers for weights that are replaced
        plain = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(read.state_dict(), assign=True)
    plain.tie_weights()
    plain.generation_config = read.generation_config
    plain.save_pretrained(directory)
    del plain
    stored = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, local_files_only=True)
    ids = torch.arange(16).unsqueeze(0) * 997 % config.vocab_size
    with torch.inference_mode():
        if not torch.equal(read.eval()(ids).logits, stored.eval()(ids).logits):
            raise RuntimeError("the stored model computes something else than the GGUF file")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
