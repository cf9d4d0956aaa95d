"""README.md is the first page, links out of docs lead to the repository, and anchors are those of GitHub. Writes llms.txt."""

import glob
import os
import re

from mkdocs.structure.files import File

SECTIONS = {"Start": "start", "Guides": "guides", "Clients": "clients", "Operate": "operate", "Reference": "reference", "Why": "why"}
pages = []


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
    return markdown


def on_post_build(config):
    with open(config["site_dir"] + "/llms.txt", "w", encoding="utf-8") as index:
        index.write(f"# {config['site_name']}\n\n> {config['site_description']}\n\n")
        index.writelines(f"- [{page.title}]({page.canonical_url})\n" for page, _ in pages)
    with open(config["site_dir"] + "/llms-full.txt", "w", encoding="utf-8") as full:
        full.writelines(markdown.strip() + "\n\n" for _, markdown in pages)
