"""Where telephones find a poll: the address that they can reach, and its picture to be scanned."""

import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

import segno

OUTSIDE = ("192.0.2.1", 9)  # an address for examples (RFC 5737): asking for the way there sends nothing


def of_this_machine() -> str | None:
    """Return the address of this machine in its network; None where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(OUTSIDE)
        except OSError:
            return None
        found: str = asked.getsockname()[0]
    return None if ipaddress.ip_address(found).is_loopback else found


def is_local(host: str) -> bool:
    """Return whether a host name means the machine itself, which no telephone can reach under it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def answer_address(shown: str, page: str, said: Mapping[str, str]) -> str | None:
    """Return the link with the parameters `said` for telephones, given what the wall itself is `shown` under.

    `page` is the path of the wall's page within the app. A wall that is shown on the machine that serves it has the
    machine's address in its network instead; None where it is in none.
    """
    parts = urlsplit(shown)
    host, port = parts.hostname or "localhost", f":{parts.port}" if parts.port else ""
    if is_local(host):
        found = of_this_machine()
        if found is None:
            return None
        host = found
    elif ":" in host:
        host = f"[{host}]"
    base = parts.path.rstrip("/").removesuffix(page).rstrip("/")
    return f"{parts.scheme or 'http'}://{host}{port}{base}/?{urlencode(said)}"


def scanned(address: str) -> str:
    """Return the QR code of an address as a picture in a data URI, dark on white in either theme."""
    picture: str = segno.make(address, error="m").svg_data_uri(dark="#000", light="#fff", border=3)
    return picture
