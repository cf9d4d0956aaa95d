"""README.md is the first page, with its beginning in two columns, and with bars and cards. Links out of docs lead to
the repository, and anchors are those of GitHub. Each page gets a description, from its first paragraph. Writes
llms.txt."""

import glob
import html
import os
import re

from mkdocs.structure.files import File

SECTIONS = {
    "Start": "start",
    "Stories": "stories",
    "Guides": "guides",
    "Clients": "clients",
    "Operate": "operate",
    "Reference": "reference",
    "Why": "why",
}
# Pages that come first in their section, in this order. All others follow by name.
FIRST = ["quickstart", "README", "functions", "kid64", "kid53", "uuidv7", "kid96", "sno", "flake", "flax"]
FIRST += ["settings-and-errors", "kidctl", "glossary"]
FIRST += ["django", "outbox", "random-uuids", "partitioned-by-created-at", "express", "three-servers"]
FIRST += ["kafka-and-react", "ids-from-applications", "analyst", "wrong-clock", "leaving"]
# What a card says, the page that it leads to, and the page and the beginning of the statement that it shows.
CARDS = [
    (
        "Report by day",
        "All of PostgreSQL's functions for times take the time of a key.",
        "guides/time-queries.md#reports-by-day",
        "guides/time-queries.md",
        "SELECT date_trunc('day'",
    ),
    (
        "Partition by time, drop what is old",
        "A partition for each day is a range of the key.",
        "guides/partitions.md",
        "start/quickstart.md",
        "SELECT * FROM kid_create_partitions(",
    ),
    (
        "Feed consumers that miss no row",
        "Below the horizon no row can still appear, even from a transaction that commits late.",
        "guides/consumers.md",
        "start/quickstart.md",
        "SELECT id, kind FROM events",
    ),
    (
        "Put IDs into URLs",
        "A sealed ID tells strangers nothing, and finds its row by the primary key.",
        "guides/public-ids.md",
        "guides/public-ids.md",
        "SELECT item, kid_seal(",
    ),
    (
        "Numbers that JavaScript reads exactly",
        "For pipelines, BI tools and browsers, a key is a `bigint` below 2^53^.",
        "reference/kid53.md",
        "reference/kid53.md",
        "INSERT INTO events (what)",
    ),
    (
        "UUIDs in strict order",
        "A `uuid` of version 7 is later than all others of its server, whatever the clock does.",
        "reference/uuidv7.md",
        "reference/uuidv7.md",
        "INSERT INTO payments (amount)",
    ),
]
# The title of a tile, the beginning of the row of the README that it shows, and the unit of its values.
BARS = [
    ("Time to make a key", "time to make one", "×"),
    ("Time to insert 2 million rows", "time to insert 2 million rows", "×"),
    ("Index of 2 million rows", "index of 2 million rows", " MB"),
]
pages = []


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def statement(path, beginning):
    """Returns a statement of a page, with the output that the page shows for it."""
    for block in re.findall(r"^```sql\n(.*?)^```$", text_of("docs/" + path), re.DOTALL | re.MULTILINE):
        found = re.search(rf"^{re.escape(beginning)}[^;]*;\n(?:-- [ -].*\n)*", block, re.MULTILINE)
        if found:
            return found[0]
    raise ValueError(f"docs/{path} has no statement that begins with {beginning}")


def card(title, sentence, page, shown, beginning):
    sentence = re.sub(r"\^(\d+)\^", r"<sup>\1</sup>", sentence)
    sql = statement(shown, beginning)
    return f'<div markdown="1">\n\n**[{title}]({page})**\n\n{sentence}\n\n```sql\n{sql}```\n\n</div>\n'


def bars(readme):
    """Returns a tile with a bar for each kind of key, for each row of figures in the table that compares keys."""
    rows = re.findall(r"^\| *(.*?) *\|$", readme[readme.index("|  | `kid64`") :], re.MULTILINE)
    keys, *rows = [re.split(r" *\| *", row) for row in rows]
    tiles = []
    for title, beginning, unit in BARS:
        values = next(row for row in rows if row[0].startswith(beginning))[1:]
        most = max(float(value.split()[0]) for value in values)
        lines = [
            f"<span>{key.replace('`', '')}</span>"
            f'<i style="width: {100 * float(value.split()[0]) / most:.0f}%"></i>'
            f"<span>{value.split()[0]}{unit}</span>"
            for key, value in zip(keys[-len(values) :], values)
        ]
        tiles.append(f'<div class="bars"><strong>{title}</strong>' + "".join(lines) + "</div>\n")
    return (
        '<div class="tiles">\n' + "".join(tiles) + "</div>\n\n"
        "Times are multiples of the time of a `kid64`: [how they were measured](#compared-with-other-keys)."
        "\n{ .small }\n\n"
    )


def landing(readme):
    """Shows the beginning in two columns, bars below it, and cards in the place of the statements that seal an ID."""
    beginning = r"(# .*?\n)\n(.*?)\n\n(!\[.*?\)\n)\n(```sql\n.*?\n```\n)"
    found = re.match(beginning, readme, re.DOTALL)
    (title, sentence, picture, statements), rest = found.groups(), readme[found.end() :]
    install = (
        "[Install](start/install.md){ .md-button .md-button--primary }"
        " [Quickstart](start/quickstart.md){ .md-button }\n\n"
        "`make && sudo make install`, then `CREATE EXTENSION kid`. On RDS and other managed servers, kid is"
        " [a script in plain SQL](start/managed-servers.md).\n"
    )
    columns = [f"{sentence}\n{{ .lead }}\n\n{install}\n{picture}", statements]
    top = "".join(f'<div markdown="1">\n\n{column}\n</div>\n' for column in columns)
    cards = '<div class="cards" markdown="1">\n' + "".join(card(*each) for each in CARDS) + "</div>\n\n"
    for before in ("**IDs in URLs.**", "The guarantees below", "## Install"):
        if f"\n{before}" not in rest:
            raise ValueError(f"README.md has no paragraph that begins with {before}")
    rest = re.sub(r"\n\*\*IDs in URLs\.\*\*.*?(?=\n## Install)", "", rest, count=1, flags=re.DOTALL)
    rest = rest.replace("\nThe guarantees below", f"\n{cards}The guarantees below", 1)
    return f'{title}\n<div class="columns" markdown="1">\n{top}</div>\n\n{bars(readme)}{rest}'


def description(markdown):
    """Returns the first paragraph as plain text, up to a sentence that ends before 200 characters."""
    body = re.sub(r"^```.*?^```$|<!--.*?-->", "", markdown, flags=re.DOTALL | re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", body):
        if not re.match(r"\s*([#|<!>-]|\d+\.|$)", paragraph):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
            text = re.sub(r"<[^>]*>|[`*]", "", text)
            whole = re.match(r".{40,200}?[.:](?= |$)", text)
            return (whole[0] if whole else text[:200]).rstrip(":") + ("." if whole and whole[0].endswith(":") else "")
    return None


def on_config(config):
    def order(path):
        name = os.path.basename(path)[:-3]
        return FIRST.index(name) if name in FIRST else len(FIRST), path

    config["nav"] = ["README.md"] + [
        {title: sorted((path[5:] for path in glob.glob(f"docs/{folder}/*.md")), key=order)}
        for title, folder in SECTIONS.items()
    ]
    config["nav"].append("CHANGELOG.md")
    version = re.search(r"^default_version = '(.*)'", text_of("kid.control"), re.MULTILINE)[1]
    config["copyright"] = f"kid {version}"
    config["mdx_configs"]["toc"] = {
        "slugify": lambda text, _: re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"),
        "permalink": True,
    }
    return config


def on_files(files, config):
    plots = re.findall(r"\]\((bench/results/[^)]*\.svg)\)", text_of("README.md"))
    for path in ["README.md", "CHANGELOG.md"] + plots:
        files.append(File(path, ".", config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_path
    at_top = source in ("README.md", "CHANGELOG.md")
    folder = "" if at_top else "docs/" + os.path.dirname(source)

    def link(match):
        path = os.path.normpath(os.path.join(folder, match[1]))
        if path.startswith("docs/") and os.path.isfile(path):
            return "](" + os.path.relpath(path[5:], folder[5:] or ".") + match[2] + ")"
        if path == "CHANGELOG.md" or path == "README.md":
            return "](" + os.path.relpath(path, folder[5:] or ".") + match[2] + ")"
        if path.endswith(".svg"):
            return match[0]
        return f"]({config['repo_url']}/blob/main/{path}{match[2]})"

    markdown = re.sub(r"<!--.*?-->\n?", "", markdown, flags=re.DOTALL)
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    markdown = "".join(
        part if part.startswith("```") else re.sub(r"\]\((?!\w+:|#)([^)\s#]+)([^)\s]*)\)", link, part) for part in parts
    )
    pages.append((page, markdown))
    page.meta["description"] = description(markdown)
    if source == "README.md":
        page.meta["hide"] = ["navigation", "toc"]
        return landing(markdown)
    return markdown


def breakable(code):
    """Lets the code in a cell of a table continue in the next line, and on a telephone also the parts of a name."""
    return re.sub(r"_(?=\w)", r'_<wbr class="name">', re.sub(r"(?<=\w)(,|\()(?=[^\s)])", r"\1<wbr>", code[0]))


def on_post_page(output, page, config):
    about = {
        "title": page.title if page.title == config["site_name"] else f"{page.title} – {config['site_name']}",
        "description": page.meta.get("description") or config["site_description"],
        "url": page.canonical_url,
        "type": "website" if page.is_homepage else "article",
        "site_name": config["site_name"],
    }
    tags = "".join(
        f'<meta property="og:{name}" content="{html.escape(str(value))}">\n' for name, value in about.items()
    )
    # Printed tables are comments. site.css does not break their rows, and clips the rules of tables with one column.
    output = re.sub(r'<span class="c1">(?=-- [^<]*(?:\||-\+-))', '<span class="c1 row">', output)
    output = re.sub(r'<span class="c1">(?=-- (?:-+| *QUERY PLAN)\n?<)', '<span class="c1 rule">', output)
    output = re.sub(
        r"<t[dh]\b.*?</t[dh]>",
        lambda cell: re.sub(r"(?<=<code>)[^<]*(?=</code>)", breakable, cell[0]),
        output,
        flags=re.DOTALL,
    )
    return output.replace("</head>", tags + "</head>", 1)


def on_post_build(config):
    site = config["site_dir"]
    # site.css says which scheme inverts the colours of a picture. Its own style goes by the browser's setting.
    for path in glob.glob(site + "/**/*.svg", recursive=True):
        picture = text_of(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r"<style>@media \(prefers-color-scheme.*?</style>\n", "", picture))
    with open(site + "/llms.txt", "w", encoding="utf-8") as index:
        index.write(f"# {config['site_name']}\n\n> {config['site_description']}\n\n")
        index.writelines(f"- [{page.title}]({page.canonical_url})\n" for page, _ in pages)
    with open(site + "/llms-full.txt", "w", encoding="utf-8") as full:
        full.writelines(markdown.strip() + "\n\n" for _, markdown in pages)
