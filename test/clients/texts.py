"""What each client for public IDs does with the texts of orders. What is printed is described in check_texts.sql."""

import psycopg


def run(connection, texts, decode, server_function):
    """decode() is the client's function, server_function the name of the server's. Both decode a text with a prefix."""
    for text in texts:
        print("decoded", text, decode(text, "ord"))
        query = f"SELECT id::text FROM orders WHERE id = {server_function}(%s, 'ord')"
        print("found", text, *connection.execute(query, [text]).fetchone())
    for (text,) in connection.execute("SELECT encoded FROM wrong"):
        try:
            decode(text, "ord")
        except ValueError as error:
            print("refused", text, type(error).__name__)
        try:
            connection.execute(f"SELECT {server_function}(%s, 'ord')", [text])
        except psycopg.errors.InvalidTextRepresentation as error:
            print("wrong", text, error.sqlstate)
