"""TLS: who gets in without it, what it is bound to, and what proves a client inside it."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

import psycopg
import pytest

from dpsql.errors import InterfaceError, PolicyError
from dpsql.interfaces.server.listening.certificates import end_point, open_tls
from dpsql.interfaces.server.server_settings import ServerSettings, TlsFiles
from server.raw_client import (
    GSS_REQUEST,
    SSL_REQUEST,
    RawClient,
    certificate_hash,
    message,
    start_up,
    tls_context,
)
from server.served import CERTIFICATES, TOKEN, Served
from server.test_scram import Client as ScramClient

VERIFIED = {"sslmode": "verify-full", "sslrootcert": str(CERTIFICATES / "authority.pem")}
CERTIFIED = {"sslcert": str(CERTIFICATES / "client.pem"), "sslkey": str(CERTIFICATES / "client.key")}


@pytest.fixture(autouse=True)
def key_of_the_client() -> None:
    (CERTIFICATES / "client.key").chmod(0o600)  # which a checkout does not keep, and libpq asks for


def test_a_verified_and_bound_connection_works(tls_server: Served) -> None:
    with tls_server.connect(**VERIFIED, channel_binding="require") as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert connection.execute("SHOW ssl").fetchone() == ("on",)


def test_nothing_is_served_in_clear(tls_server: Served) -> None:
    with pytest.raises(psycopg.OperationalError, match="encrypted connections only"):
        tls_server.connect(sslmode="disable")
    with RawClient(tls_server.port) as client:
        client.start("alice")
        assert client.error()["C"] == "28000"
        assert client.is_closed()


def test_bytes_behind_the_request_for_tls_are_refused(tls_server: Served) -> None:
    with RawClient(tls_server.port) as client:
        client.send(SSL_REQUEST + start_up({"user": "alice", "database": "shop"}))
        assert client.error()["C"] == "08P01"
        assert client.is_closed()


def test_a_request_for_gssapi_is_declined_before_tls_begins(tls_server: Served) -> None:
    with RawClient(tls_server.port) as client:
        assert client.send(GSS_REQUEST).exactly(1) == b"N"
        assert client.send(SSL_REQUEST).exactly(1) == b"S"
        client.start_tls(tls_context()).start("alice")
        assert client.message()[0] == b"R"


def test_inside_tls_no_other_request_is_answered(tls_server: Served) -> None:
    with RawClient(tls_server.port) as client:
        client.send(SSL_REQUEST).exactly(1)
        assert client.start_tls(tls_context()).send(SSL_REQUEST).error()["C"] == "08P01"


def test_tls_without_a_request_needs_the_protocols_name(tls_server: Served) -> None:
    with tls_server.connect(**VERIFIED, sslnegotiation="direct") as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    with RawClient(tls_server.port) as client:
        assert client.start_tls(tls_context()).error()["C"] == "08P01"


def test_old_versions_of_tls_are_refused(tls_server: Served) -> None:
    with pytest.warns(DeprecationWarning):
        context = tls_context(minimum_version=ssl.TLSVersion.TLSv1, maximum_version=ssl.TLSVersion.TLSv1_1)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with RawClient(tls_server.port) as client:
        client.send(SSL_REQUEST).exactly(1)
        with pytest.raises((ssl.SSLError, ConnectionError), match=r"SSL|reset"):
            client.start_tls(context)
    files = TlsFiles(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    assert open_tls(files).context.minimum_version is ssl.TLSVersion.TLSv1_2


def test_channel_binding_is_to_the_hash_that_clients_compute() -> None:
    files = TlsFiles(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    assert open_tls(files).binding == certificate_hash()


def test_binding_is_offered_and_one_to_another_certificate_fails(tls_server: Served) -> None:
    with RawClient(tls_server.port) as client:
        client.send(SSL_REQUEST).exactly(1)
        kind, offered = client.start_tls(tls_context()).start("alice").message()
        assert (kind, offered[4:]) == (b"R", b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0")
        proof = ScramClient("correct horse", "p=tls-server-end-point", bytes(32))
        first = proof.first()
        client.send(message(b"p", b"SCRAM-SHA-256-PLUS\0" + len(first).to_bytes(4) + first))
        client.send(message(b"p", proof.final(client.message()[1][4:])))
        assert client.error()["C"] == "28000"


def test_a_token_logs_in_inside_tls(tls_server: Served) -> None:
    with tls_server.connect("robot", password=TOKEN, **VERIFIED, channel_binding="disable") as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    for wrong in (TOKEN + "1", "", "correct horse"):
        with pytest.raises(psycopg.OperationalError, match=r"password authentication failed|no password"):
            tls_server.connect("robot", password=wrong, **VERIFIED, channel_binding="disable")


def test_a_certificate_logs_in_its_own_name_and_no_other(tls_server: Served) -> None:
    with tls_server.connect("certified", password="", **VERIFIED, **CERTIFIED) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("certified",)
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        tls_server.connect("alice", password="", **VERIFIED, **CERTIFIED)
    with tls_server.connect("alice", **VERIFIED, **CERTIFIED) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("alice",)


def test_a_handshake_that_stops_keeps_nobody_out(tls_server: Served) -> None:
    sockets = [socket.create_connection(("127.0.0.1", tls_server.port), 10) for _ in range(30)]
    for each in sockets:
        each.sendall(SSL_REQUEST)
    tls_server.connect(**VERIFIED).close()
    for each in sockets:
        each.close()


def test_off_this_host_there_is_no_server_without_a_certificate(tmp_path: Path) -> None:
    files = TlsFiles(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        with pytest.raises(InterfaceError, match="needs a certificate"):
            ServerSettings({}, (host, 5439), tmp_path, None, {}, 1)
        ServerSettings({}, (host, 5439), tmp_path, files, {}, 1)
    for host in ("127.0.0.1", "::1", "localhost"):
        ServerSettings({}, (host, 5439), tmp_path, None, {}, 1)


def test_files_that_are_no_certificate_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    for files in (
        TlsFiles(tmp_path / "missing.pem", CERTIFICATES / "server.key"),
        TlsFiles(tmp_path / "empty.pem", CERTIFICATES / "server.key"),
        TlsFiles(CERTIFICATES / "server.pem", CERTIFICATES / "client.key"),
    ):
        with pytest.raises(PolicyError, match="cannot be used"):
            open_tls(files)


def test_a_certificate_that_is_cut_off_binds_to_nothing() -> None:
    whole = ssl.PEM_cert_to_DER_cert((CERTIFICATES / "server.pem").read_text())
    for length in range(len(whole)):
        with pytest.raises(ValueError, match="cut off"):
            end_point(whole[:length])
