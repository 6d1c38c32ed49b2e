"""Real servers on loopback, as well-behaved or as hostile as a test needs them."""

from __future__ import annotations

import datetime
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import dns.message
import dns.resolver
import dns.rrset
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from common.outbound.policy import OutboundPolicy


@dataclass
class Exchange:
    """One request as it arrived, and the connection to answer it on."""

    connection: socket.socket
    connection_number: int
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    stopping: threading.Event

    def reply(self, status: int = 200, headers: Mapping[str, str] | None = None, body: bytes = b"") -> None:
        lines = {"Content-Length": str(len(body)), **(headers or {})}
        self.head(status, lines)
        self.send(body)

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        text = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.send(f"HTTP/1.1 {status} Told\r\n{text}\r\n".encode())

    def chunk(self, data: bytes) -> None:
        self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def pause(self, seconds: float) -> None:
        if self.stopping.wait(seconds):
            raise ConnectionAbortedError("the test is over")

    def reset(self) -> None:
        """Break the connection off with a TCP RST."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def close(self) -> None:
        self.connection.close()


Route = Callable[[Exchange], None]


@dataclass
class Loopback:
    """An HTTP server whose routes speak raw bytes; `seen` is every request it was sent."""

    routes: dict[str, Route] = field(default_factory=dict)
    address: str = "127.0.0.1"
    port: int = 0
    tls: ssl.SSLContext | None = None
    seen: list[Exchange] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> Loopback:
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self._listener = socket.create_server((self.address, self.port), family=family)
        self.port = self._listener.getsockname()[1]
        self._stopping = threading.Event()
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        for open_socket in [self._listener, *self._open]:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()
        for thread in self._threads:
            thread.join()

    def url(self, path: str = "/", *, host: str | None = None, scheme: str = "http") -> str:
        return f"{scheme}://{host or self.address}:{self.port}{path}"

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(connection, self.connections))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        self._open.append(connection)
        try:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            with suppress(OSError), connection:
                while self._one(connection, number):
                    pass
        except OSError:
            connection.close()

    def _one(self, connection: socket.socket, number: int) -> bool:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65_536)
            if not piece:
                return False
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        while len(body) < int(headers.get("content-length", "0")):
            body += connection.recv(65_536)
        exchange = Exchange(connection, number, method, path, headers, body, self._stopping)
        self.seen.append(exchange)
        route = self.routes.get(path.partition("?")[0], _not_here)
        route(exchange)
        return connection.fileno() >= 0


def _not_here(exchange: Exchange) -> None:
    exchange.reply(404)


@dataclass
class Dns:
    """A DNS server on loopback; each name gives its answers in turn, the last one for ever."""

    answers: dict[str, list[list[str]]]
    asked: list[str] = field(default_factory=list)

    def __enter__(self) -> Dns:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def resolver(self, host: str) -> tuple[str, ...]:
        """A resolver that really asks this server, over UDP."""
        stub = dns.resolver.Resolver(configure=False)
        stub.nameservers = ["127.0.0.1"]
        stub.port = self._socket.getsockname()[1]
        return tuple(str(entry) for entry in stub.resolve(host + ".", "A", lifetime=5))

    def _serve(self) -> None:
        while True:
            data, peer = self._socket.recvfrom(4_096)
            if not data:
                return
            query = dns.message.from_wire(data)
            name = query.question[0].name.to_text().rstrip(".")
            self.asked.append(name)
            turns = self.answers[name]
            addresses = turns.pop(0) if len(turns) > 1 else turns[0]
            answer = dns.message.make_response(query)
            answer.answer.append(dns.rrset.from_text(query.question[0].name, 0, "IN", "A", *addresses))
            self._socket.sendto(answer.to_wire(), peer)


def local_policy(
    *, idle_seconds: float = 2.0, total_seconds: float = 10.0, ca_file: Path | None = None
) -> OutboundPolicy:
    """Reaches loopback and hurries."""
    return OutboundPolicy(
        allow_networks=("127.0.0.0/8",),
        connect_seconds=2.0,
        idle_seconds=idle_seconds,
        total_seconds=total_seconds,
        host_concurrency=8,
        host_delay_seconds=0.0,
        ca_file=ca_file,
    )


def server_certificate(folder: Path, *names: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate that vouches for itself: the file to trust, and the server's context."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    public = folder / "authority.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(secret + public.read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return public, context
