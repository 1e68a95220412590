"""TLS contexts of the server, and what channel binding is bound to."""

from __future__ import annotations

import hashlib
import ssl

from dpsql.errors import PolicyError, Problem
from dpsql.interfaces.server.server_settings import TlsFiles
from dpsql.slotted import dataclass

ALPN = "postgresql"
# RFC 5929, section 4.1: the hash of the certificate's signature, and SHA-256 in the place of MD5 and SHA-1.
_HASHES = {
    "1.2.840.113549.1.1.4": "sha256",
    "1.2.840.113549.1.1.5": "sha256",
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
    "1.2.840.113549.1.1.14": "sha224",
    "1.2.840.10045.4.1": "sha256",
    "1.2.840.10045.4.3.1": "sha224",
    "1.2.840.10045.4.3.2": "sha256",
    "1.2.840.10045.4.3.3": "sha384",
    "1.2.840.10045.4.3.4": "sha512",
}


@dataclass(frozen=True, slots=True)
class Tls:
    """A context for TLS 1.2 and later, and the digest of the certificate; None where RFC 5929 knows no hash for it."""

    context: ssl.SSLContext
    binding: bytes | None


def open_tls(files: TlsFiles) -> Tls:
    """The context made of these files. Raises PolicyError where they cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols([ALPN])
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_CIPHER_SERVER_PREFERENCE
    try:
        context.load_cert_chain(files.certificate, files.key, password=_no_passphrase)
        if files.client_authority is not None:
            context.load_verify_locations(files.client_authority)
            context.verify_mode = ssl.CERT_OPTIONAL
        text = files.certificate.read_text(encoding="ascii", errors="replace")
        return Tls(context, end_point(ssl.PEM_cert_to_DER_cert(_first(text))))
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problem = Problem(str(files.certificate), None, "", f"the certificate cannot be used: {reason}")
        raise PolicyError((problem,)) from None


def _no_passphrase() -> str:
    raise ValueError(
        "its key has a passphrase, which nobody is there to type; write it without one, mode 0600"
    )


def _first(text: str) -> str:
    end = "-----END CERTIFICATE-----"
    return text[text.find("-----BEGIN CERTIFICATE-----") : text.find(end) + len(end)]


def end_point(certificate: bytes) -> bytes | None:
    """What `tls-server-end-point` binds to, for a certificate in DER; None where its signature's hash is not known."""
    _, outer, _ = _element(certificate, 0)
    _, _, after_body = _element(certificate, outer)
    _, algorithm, _ = _element(certificate, after_body)
    _, start, end = _element(certificate, algorithm)
    name = _HASHES.get(_object_identifier(certificate[start:end]))
    return hashlib.new(name, certificate).digest() if name is not None else None


def _element(data: bytes, at: int) -> tuple[int, int, int]:
    """An element of DER: its tag, where its content begins, and where it ends. Raises ValueError."""
    if at + 2 > len(data):
        raise ValueError("the certificate is cut off")
    tag, length, start = data[at], data[at + 1], at + 2
    if length & 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(data[start : start + size]), start + size
    if start + length > len(data):
        raise ValueError("the certificate is cut off")
    return tag, start, start + length


def _object_identifier(content: bytes) -> str:
    numbers, value = [], 0
    for byte in content:
        value = (value << 7) | (byte & 0x7F)
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    first = numbers[0] if numbers else 0
    top = min(first // 40, 2)
    return ".".join(map(str, (top, first - 40 * top, *numbers[1:])))


def common_name(certificate: object) -> str | None:
    """The common name of a client's verified certificate, as the ssl module gives it; None without exactly one."""
    subject = certificate.get("subject", ()) if isinstance(certificate, dict) else ()
    names = [value for part in subject for name, value in part if name == "commonName"]
    return names[0] if len(names) == 1 else None
