"""Values of PostgreSQL's enumerations as its trees have them, by the names in PostgreSQL's headers.

A word stands where a tree is compared with the text of a field, a number where it is compared with an integer.
"""

from __future__ import annotations

# CmdType, in `commandType`
CMD_SELECT, CMD_UPDATE, CMD_INSERT, CMD_MERGE = "1", "2", "3", "5"

# CoercionForm, in `funcformat` and its like: a cast that was written, and one that PostgreSQL has added
COERCE_EXPLICIT_CAST, COERCE_IMPLICIT_CAST = "1", "2"
CASTS = (COERCE_EXPLICIT_CAST, COERCE_IMPLICIT_CAST)

# ParamKind, in `paramkind`: an argument of a function, the column of a sub-select beside an operator, and that of a
# sub-select with several columns in the SET of an UPDATE
PARAM_EXTERN, PARAM_SUBLINK, PARAM_MULTIEXPR = "0", "2", "3"

# SubLinkType, in `subLinkType`: those whose value is that of a column, (SELECT …) and ARRAY (SELECT …)
EXPR_SUBLINK, ARRAY_SUBLINK = "4", "6"

# MinMaxOp, in `op`
IS_GREATEST = "0"

# `aggkind`: an aggregate that tells the place of a row that does not exist
AGGKIND_HYPOTHETICAL = "h"

# RTEKind, in `rtekind`
RTE_JOIN = 2

# A bit of `frameOptions`
FRAMEOPTION_RANGE = 2

# `varattno` of a whole row
WHOLE_ROW = 0
