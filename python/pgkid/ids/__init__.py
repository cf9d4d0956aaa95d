"""kid's IDs as values, in pure Python: from and to text, number, bytes, base32 and time.

times.py    microseconds since 1970
base32.py   Crockford's base32, after a prefix
base.py     what all IDs have, and those that count milliseconds
texts.py    IDs that are a str: their text
kid64.py    Kid64 and Kid96, subclasses of str
sno.py      Sno, a subclass of str
flax.py     Flax, a subclass of str
numbers.py  Kid53 and Flake, subclasses of int
uuidv7.py   UuidV7, a subclass of uuid.UUID
"""

from .base import Id
from .flax import Flax
from .kid64 import Kid64, Kid96
from .numbers import Flake, Kid53
from .sno import Sno
from .uuidv7 import UuidV7

__all__ = ["Flake", "Flax", "Id", "Kid53", "Kid64", "Kid96", "Sno", "UuidV7"]
