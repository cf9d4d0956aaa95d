"""The types of kid that a database has, for modules that tell drivers about them."""

from __future__ import annotations

from typing import Any

from .ids import Flake, Flax, Kid64, Kid96, Sno

#: Classes by the names of their types. Each makes an ID of the text that the database sends. A bigint can be a kid53 or
#: not, and a uuid can be of another version.
CLASSES: dict[str, Any] = {"kid64": Kid64, "kid96": Kid96, "sno": Sno, "flake": Flake, "flax": Flax}

#: Lists those that the database has, with the OIDs of the types and of their arrays, and the schemas of the types.
QUERY = """
SELECT t.typname, t.oid, t.typarray, n.nspname
  FROM pg_catalog.unnest('{kid64,kid96,sno,flake,flax}'::pg_catalog.text[]) AS name
  JOIN pg_catalog.pg_type AS t ON t.oid = pg_catalog.to_regtype(name) AND t.typname = name AND t.typtype = 'b'
  JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
"""
