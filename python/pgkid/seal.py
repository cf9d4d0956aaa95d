"""Sealed IDs without the database: what kid_seal() and T_unseal() of the extension kid_seal do, for the same keys.

It needs the library cryptography: pip install 'pgkid[seal]'.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from typing import Any, TypeVar, Union
from uuid import UUID

from ._needs import needs
from .ids import Id, Kid64, UuidV7, base32

with needs(__name__, "seal"):
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

T = TypeVar("T", bound=Id)
Key = tuple[int, Union[str, bytes], bool]


class Keys:
    """The keys of a database. One seals, and all open."""

    def __init__(self, rows: Iterable[Key]) -> None:
        """Takes the rows of kid_seal_export_keys(): numbers, keys as bytes or digits, and whether the key seals."""
        self._sealing: bytes | None = None
        self._all: list[bytes] = []
        for number, text, seals in rows:
            key = bytes.fromhex(text) if isinstance(text, str) else text
            if len(key) != 32:
                raise ValueError(f"key {number} has {len(key)} bytes, not 32")
            if seals and self._sealing:
                raise ValueError("more than one key seals")
            # Most texts are of the key that seals, so it is tried first.
            self._all.insert(0 if seals else len(self._all), key)
            self._sealing = key if seals else self._sealing
        self._ciphers: dict[tuple[bytes, str], Any] = {}

    @classmethod
    def of_file(cls, lines: Iterable[str]) -> Keys:
        r"""Takes the lines of the file that \copy (SELECT * FROM kid_seal_export_keys()) TO 'keys' wrote."""
        rows = [line.rstrip("\n").split("\t") for line in lines]
        return cls((int(number), key, seals == "t") for number, key, seals in rows)

    def seal(self, id: Id, prefix: str = "") -> str:
        """Returns the text that kid_seal(id, prefix) returns. Raises ValueError if no key seals, and for a UuidV7."""
        block = self._cipher(self._sealing_key(), type(id), prefix).encryptor().update(id.binary.ljust(16, b"\0"))
        return base32.encode(int.from_bytes(block, "big"), 128, prefix)

    def unseal(self, kind: type[T], text: str, prefix: str = "") -> T:
        """Returns the ID of this type in a sealed text. Raises ValueError if no key opens the text."""
        # The database accepts no upper-case digits here.
        if re.search("[A-Z]", text):
            raise ValueError(f"not a sealed ID: {text!r}")
        sealed = base32.decode(text, 128, prefix).to_bytes(16, "big")
        for key in self._all:
            block = self._cipher(key, kind, prefix).decryptor().update(sealed)
            if not any(block[kind.size :]):
                return kind.of_binary(block[: kind.size])
        raise ValueError(f"not a sealed ID: {text!r}")

    def seal_uuid(self, id: Kid64, prefix: str = "") -> UUID:
        """Returns the UUID that kid_seal_uuid(id, prefix) returns. Raises ValueError if no key seals."""
        return self._uuid(self._sealing_key(), id, prefix)

    def unseal_uuid(self, uuid: UUID, prefix: str = "") -> Kid64:
        """Returns the ID in a sealed UUID. Raises ValueError if no key opens the UUID."""
        for key in self._all:
            block = self._cipher(key, "kid64-uuid", prefix).decryptor().update(uuid.bytes)
            if not any(block[8:14]):
                id = Kid64.of_binary(block[:8])
                # Only the first counter that makes a UUID of version 4 is valid.
                if self._uuid(key, id, prefix) == uuid:
                    return id
        raise ValueError(f"not a sealed ID: {uuid}")

    def _uuid(self, key: bytes, id: Kid64, prefix: str) -> UUID:
        encryptor = self._cipher(key, "kid64-uuid", prefix).encryptor()
        for counter in range(4096):
            block = encryptor.update(id.binary + counter.to_bytes(8, "big"))
            if block[6] >> 4 == 4 and block[8] >> 6 == 2:
                return UUID(bytes=block)
        raise ValueError(f"{id} has no UUID")

    def _sealing_key(self) -> bytes:
        if self._sealing is None:
            raise ValueError("no key seals")
        return self._sealing

    def _cipher(self, key: bytes, kind: type[Id] | str, prefix: str) -> Any:
        """Returns the cipher of a key for a type and a prefix. Each has a subkey, so that texts cannot be compared."""
        if not isinstance(kind, str):
            if issubclass(kind, UuidV7):
                raise ValueError("a uuid cannot be sealed")
            kind = kind.type_name
        label = f"{kind}:{prefix}"
        found = self._ciphers.get((key, label))
        if found is None:
            base32.check_prefix(prefix)
            subkey = hmac.digest(key, label.encode(), "sha256")[:16]
            found = self._ciphers[key, label] = Cipher(algorithms.AES(subkey), modes.ECB())
        return found
