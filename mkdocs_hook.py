"""README.md is the first page, with four jobs as cards, links out of docs lead to the repository, and anchors are those of GitHub.
Writes llms.txt."""

import glob
import os
import re

from mkdocs.structure.files import File

SECTIONS = {"Start": "start", "Guides": "guides", "Clients": "clients", "Operate": "operate", "Reference": "reference", "Why": "why"}
JOBS = {
    "Find rows by time": "guides/time-queries.md",
    "Partition by time, drop what is old": "guides/partitions.md",
    "Feed consumers that miss no row": "guides/consumers.md",
    "Put IDs into URLs": "guides/public-ids.md",
}
STYLE = """<style>
.jobs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: .8rem }
.jobs > div { border: .05rem solid var(--md-default-fg-color--lighter); border-radius: .2rem; min-width: 0; padding: 0 .8rem }
</style>"""
pages = []


def card(title, path):
    """Returns a job with the SQL that its page begins with, at most ten lines, without the output."""
    beginning = "\n## ".join(open("docs/" + path, encoding="utf-8").read().split("\n## ")[:2])
    blocks = re.findall(r"^```sql\n(.*?)^```$", beginning, re.DOTALL | re.MULTILINE)
    sql = ""
    for paragraph in re.sub(r"^-- .*\n", "", "\n".join(blocks), flags=re.MULTILINE).strip().split("\n\n"):
        if (sql + paragraph).count("\n") >= 10:
            break
        sql += paragraph.strip() + "\n"
    return f'<div markdown="1">\n\n**[{title}]({path})**\n\n```sql\n{sql}```\n\n</div>\n'


def on_config(config):
    def first(path):
        return "quickstart" not in path and "README" not in path, path

    config["nav"] = ["README.md"] + [
        {title: sorted((path[5:] for path in glob.glob(f"docs/{folder}/*.md")), key=first)} for title, folder in SECTIONS.items()
    ]
    config["mdx_configs"]["toc"] = {
        "slugify": lambda text, _: re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"),
        "permalink": True,
    }
    return config


def on_files(files, config):
    for path in ["README.md"] + re.findall(r"\]\((bench/results/[^)]*\.svg)\)", open("README.md", encoding="utf-8").read()):
        files.append(File(path, ".", config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = "" if page.file.src_path == "README.md" else "docs/" + os.path.dirname(page.file.src_path)

    def link(match):
        path = os.path.normpath(os.path.join(folder, match[1]))
        if path.startswith("docs/") and os.path.isfile(path):
            return "](" + os.path.relpath(path[5:], folder[5:] or ".") + match[2] + ")"
        if path.endswith(".svg"):
            return match[0]
        return f"]({config['repo_url']}/blob/main/{path}{match[2]})"

    markdown = re.sub(r"<!--.*?-->\n?", "", markdown, flags=re.DOTALL)
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    markdown = "".join(part if part.startswith("```") else re.sub(r"\]\((?!\w+:|#)([^)\s#]+)([^)\s]*)\)", link, part) for part in parts)
    pages.append((page, markdown))
    if folder == "":
        cards = STYLE + '\n<div class="jobs" markdown="1">\n' + "".join(card(*job) for job in JOBS.items()) + "</div>\n\n"
        return re.sub(r"(?=^- \*\*)", lambda _: cards, markdown, count=1, flags=re.MULTILINE)
    return markdown


def on_post_build(config):
    with open(config["site_dir"] + "/llms.txt", "w", encoding="utf-8") as index:
        index.write(f"# {config['site_name']}\n\n> {config['site_description']}\n\n")
        index.writelines(f"- [{page.title}]({page.canonical_url})\n" for page, _ in pages)
    with open(config["site_dir"] + "/llms-full.txt", "w", encoding="utf-8") as full:
        full.writelines(markdown.strip() + "\n\n" for _, markdown in pages)
