"""Materialized views that a move has made again, empty. They are filled after its transaction, as their owners.

The list of them is kept in the state of the move, so that the next command fills them if this one is interrupted.
"""
from __future__ import annotations

from typing import Optional, Sequence

from psycopg import sql

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.made import Made
from pgkid.ctl.objects import Object
from pgkid.ctl.state import State
from pgkid.ctl.steps import Runner, statement


Views = Sequence[str]  # the name of each as part of a statement
EMPTY = "SELECT NOT relispopulated FROM pg_class WHERE oid = to_regclass(%s)::oid"


def kept(state: Optional[State]) -> Views:
    """Returns the views that a state lists."""
    return state.to_fill if state else []


def to_fill(made: Sequence[Made], state: Optional[State]) -> list[str]:
    """Returns the views that are to be filled after a transaction that makes some objects again.

    Those that the state lists already come first: an earlier command has left them empty.
    """
    earlier = kept(state)
    return [*earlier, *(m.view for m in made if m.is_filled and m.view not in earlier)]


def empty(conn: Connection, views: Views) -> Views:
    """Returns the views that are neither filled nor gone."""
    return [view for view in views if scalar(conn, EMPTY, (view,))]


def fill(runner: Runner, views: Views) -> None:
    """Fills the views that are still empty. Each can read those before it."""
    for view in empty(runner.conn, views):
        about = Object("materialized view", "", view, label=f"materialized view {view}")
        runner.execute(statement("REFRESH MATERIALIZED VIEW {}", sql.SQL(view), about=about))


def status(conn: Connection, state: Optional[State]) -> list[str]:
    """Returns the line that names the views that are still empty, if there are any."""
    names = [f"materialized view {view}" for view in empty(conn, kept(state))]
    return [f"  to fill: {', '.join(names)}"] if names else []
