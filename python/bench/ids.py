#!/usr/bin/env python3
"""How long pgkid.ids takes for an ID, as a ratio to uuid.UUID, which does the same for a UUID.

Reading makes a value of a text, and refuses a text that is no ID. Writing makes the text of a number. Each round is
repeated, and the fastest counts, since other programs can only make it slower.
"""

import sys
import timeit
from pathlib import Path
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pgkid.ids import Kid53, Kid64, UuidV7  # noqa: E402

COUNT = 2000
text, digits, of_uuid = ".6.nef3Mk.3", "892846417948672", "01a20168-9de7-7651-83ac-60dca3b8f7f5"
bits = UUID(of_uuid).int

cases = {
    "read": {
        "kid64": lambda: Kid64(text),
        "kid64, with its number": lambda: Kid64(text).number,
        "kid53": lambda: Kid53(int(digits)),
        "uuid version 7 of pgkid": lambda: UuidV7(of_uuid),
        "uuid.UUID": lambda: UUID(of_uuid),
    },
    "write": {
        "kid64": lambda: str(Kid64.of_number(31582005600174081)),
        "kid53": lambda: str(Kid53.of_number(892846417948672)),
        "uuid version 7 of pgkid": lambda: str(UuidV7.of_number(bits)),
        "uuid.UUID": lambda: str(UUID(int=bits)),
    },
}

print("| what | type | µs | ratio to uuid.UUID |\n| --- | --- | --- | --- |")
for what, calls in cases.items():
    times = {name: min(timeit.repeat(call, number=COUNT, repeat=60)) / COUNT for name, call in calls.items()}
    base = list(times.values())[-1]
    for name, seconds in times.items():
        print(f"| {what} | {name} | {seconds * 1e6:.2f} | {seconds / base:.2f} |")
