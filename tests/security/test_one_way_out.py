"""Nothing but the guarded client opens a connection to an address that a user can name.

Every import that could reach the network is listed here with the files that may have it, and why.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path for folder in ("common", "functions", "infra") for path in (ROOT / folder).rglob("*.py")
)

GUARD = {
    "common/outbound/client.py",
    "common/outbound/transport.py",
    "common/outbound/proxy.py",
    "common/outbound/resolver.py",
    "common/outbound/tunnel.py",
}
# The command line and the Python client talk to the service that their user names, from the user's machine.
CLIENT = {f"common/client/{name}.py" for name in ("answers", "asynchronous", "secretary", "transfer")}
# The operator's own services, at addresses from the settings; a request cannot change them.
STORES = {"common/objects/store.py", "common/queue/sqs_client.py"}
# Asks our own loopback address, or takes a port on it.
LOCAL = {"infra/local/ports.py", "infra/local/stack.py", "infra/container/health.py"}

# An SDK of an operator's model, given the guard's httpx client.
MODELS = {"common/processing/transform/model.py", "common/processing/media/speech_service.py"}

MAY_IMPORT: dict[str, set[str]] = {
    "httpx": GUARD | CLIENT | MODELS,  # there, only the type of the guard's client
    "httpcore": GUARD,
    "socket": GUARD | LOCAL,
    "ssl": GUARD,
    "socketserver": GUARD,
    "http.client": LOCAL,
    "urllib.request": LOCAL,
    "boto3": STORES,
    "botocore": STORES,
    "openai": MODELS,  # with the guard's httpx client
    "opentelemetry": {"common/tracing.py"},  # the operator's collector
}
NEVER = (
    *("requests", "urllib3", "aiohttp", "ftplib", "smtplib", "telnetlib", "websocket", "websockets"),
    *("pycurl", "poplib", "imaplib", "nntplib", "xmlrpc", "paramiko", "grpc"),
)
# Our own names only: job types to their handlers, functions to their routes.
MAY_IMPORT_BY_NAME = {"common/processing/registry.py", "functions/monitor/specification.py"}
BY_NAME = ("__import__", "importlib.import_module", "import_module", "exec", "eval")
MAY_DIAL_MONGODB = {"common/jobs/database.py", "infra/local/mongod.py"}


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def uses(tree: ast.AST, dangerous: str) -> bool:
    return any(name == dangerous or name.startswith(dangerous + ".") for name in imported(tree))


TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCES}


@pytest.mark.parametrize("module", sorted({*MAY_IMPORT, *NEVER}))
def test_what_can_open_a_connection_is_imported_only_where_it_is_meant_to(module: str) -> None:
    found = {name for name, tree in TREES.items() if uses(tree, module)}

    assert found - MAY_IMPORT.get(module, set()) == set()


def test_mongodb_is_dialled_in_one_place() -> None:
    found = {name for name, tree in TREES.items() if uses(tree, "pymongo.MongoClient")}

    assert found <= MAY_DIAL_MONGODB


def test_nothing_imports_by_a_name_that_this_test_could_not_see() -> None:
    dynamic = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in BY_NAME
    }

    assert dynamic <= MAY_IMPORT_BY_NAME


def test_an_offender_would_be_found() -> None:
    """So that a change of this test does not blind it."""
    assert uses(ast.parse("def f():\n    from urllib.request import urlopen"), "urllib.request")
    assert uses(ast.parse("from urllib import request"), "urllib.request")
    assert uses(ast.parse("import http.client as x"), "http.client")
    assert not uses(ast.parse("from urllib.parse import quote"), "urllib.request")
