"""Start the page: arguments → model loader → page → launch."""

import argparse
import os
import socket
import sys
from pathlib import Path

from dragin_core.arguments import Parser
from dragin_core.errors import InputError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7860


def main(arguments: list[str] | None = None) -> int:
    """Serve the page until interrupted. Returns the exit code: 2 for bad input, told in one line on stderr."""
    try:
        options = parser().parse_args(arguments)
        host = options.host or os.environ.get("GRADIO_SERVER_NAME") or DEFAULT_HOST
        port = port_number(options.port or os.environ.get("GRADIO_SERVER_PORT") or DEFAULT_PORT)
        check_paths(options.model, options.corpus)
        check_free(host, port)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    serve(options, host, port)
    return 0


def parser() -> Parser:
    """The command line."""
    found = Parser(prog="app.py", description="DRAGIN, token by token: the page.")
    found.add_argument("--host", help=f"address to listen on (GRADIO_SERVER_NAME, else {DEFAULT_HOST})")
    found.add_argument("--port", help=f"port to listen on (GRADIO_SERVER_PORT, else {DEFAULT_PORT})")
    found.add_argument(
        "--model",
        action="append",
        default=[],
        help="causal language model: folder, hub id, or packaged; give it again to offer several",
    )
    found.add_argument("--corpus", action="append", default=[], help="file of passages (default: the packaged ones)")
    found.add_argument("--no-download", action="store_true", help="use only what is on this machine")
    return found


def serve(options: argparse.Namespace, host: str, port: int) -> None:
    """Load in the background, show the page at once."""
    from visuals.loader import Models

    corpus = next(iter(options.corpus), None)
    models = Models(options.model, corpus=corpus, allow_download=not options.no_download).start()
    from visuals.page import CSS_PATHS, build_ui
    from visuals.scripts import head
    from visuals.theme import page_theme

    build_ui(models).launch(
        server_name=host,
        server_port=port,
        theme=page_theme(),
        css_paths=CSS_PATHS,
        head=head(),
        footer_links=[],
        run_history=False,
        ssr_mode=False,
    )


def port_number(value: str | int) -> int:
    """Raises: InputError, not a port."""
    try:
        port = int(value)
    except ValueError:
        port = -1
    if not 0 < port < 65536:
        raise InputError(f"The port is {value!r}: give a whole number from 1 to 65535.")
    return port


def check_paths(models: list[str], corpora: list[str]) -> None:
    """Raises: InputError, a corpus or a model folder that is not there (hub ids are seen when they load)."""
    for corpus in corpora:
        if not Path(corpus).expanduser().exists():
            raise InputError(f"There is no corpus at {corpus}: give the path of a passage file.")
    for model in models:
        path = Path(model).expanduser()
        is_path = path.is_absolute() or model.startswith((".", "~")) or model.count("/") > 1
        if is_path and not path.exists():
            raise InputError(f"There is no model at {model}: give the folder of a transformers model, or a hub id.")


def check_free(host: str, port: int) -> None:
    """Raises: InputError, the address cannot be listened on."""
    try:
        family, kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror as error:
        raise InputError(f"The host {host!r} is unknown: give an address of this machine.") from error
    except OSError as error:
        reason = "already in use" if error.errno == 98 else (error.strerror or str(error)).lower()
        raise InputError(f"Port {port} on {host} is {reason}: choose another with --port.") from error


if __name__ == "__main__":
    sys.exit(main())
