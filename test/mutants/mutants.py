#!/usr/bin/python3
"""
Changes random lines of the sources in turn, and sees whether the tests find it. Prints TAP: a mutant that no test finds
is a test that fails.

    mutants.py FOLDER [--count 100] [--seed SEED] [--quick] [--places "src/core/step.hpp:20 …"]

It works in the tree that it is a part of, which must be a copy: it edits sources, and takes the edits back. Each mutant
is one line, in which one operator, number or word is replaced, or which is removed if it is a statement. The scripts in
released, and the lines in test/model/code, follow each mutant, so that none is found only because they differ from the
sources. Mutants that do not compile or install, and those of which the compiler makes the same code, are not counted.
A mutant is first tried with `make check`, and then, unless --quick is given, with `make test`. One that takes longer
than its limit is found, too. With --places, only the mutants at these places are tried, of those that would be drawn:
those that no test has found in a quick run, for example. FOLDER has a copy of the tree in which they build, so that
only what has changed is compiled, and the output of each run.
"""

import argparse
import hashlib
import os
import random
import re
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
MODEL_CODE = TREE / "test/model/code"
NO_TEST = "no test"
NO_MUTANT = "no mutant"
FOLDERS = ["src/core", "src/pg/clocks", "src/pg/horizon", "src/pg/issue", "src/pg/planner", "src/sql"]
# What may be replaced, and by what. An expression that is found in comments, strings or declarations does no harm: the
# mutant then does not compile, or makes the same code.
REPLACEMENTS = {
    ".cpp": [
        (r" <= ", [" < ", " >= "]),
        (r" < ", [" <= ", " > "]),
        (r" >= ", [" > ", " <= "]),
        (r" > ", [" >= ", " < "]),
        (r" == ", [" != "]),
        (r" != ", [" == "]),
        (r" && ", [" || "]),
        (r" \|\| ", [" && "]),
        (r" \+ ", [" - "]),
        (r" - ", [" + "]),
        (r" \* ", [" + "]),
        (r" << ", [" >> "]),
        (r" >> ", [" << "]),
        (r"\btrue\b", ["false"]),
        (r"\bfalse\b", ["true"]),
        (r"(?<=[(\s])!(?=\w)", [""]),
        (r"\b[1-9][0-9]{0,3}\b", ["0", "2147483647"]),
        (r"\b0\b", ["1"]),
        (r"^\s+[a-z_.>:-]+\(.*\);$", [""]),
        (r"^\s+[a-z_.>-]+ [+-]?= .*;$", [""]),
    ],
    ".sql": [
        (r" <= ", [" < ", " >= "]),
        (r" < ", [" <= ", " > "]),
        (r" >= ", [" > ", " <= "]),
        (r" > ", [" >= ", " < "]),
        (r" = ", [" <> "]),
        (r" <> ", [" = "]),
        (r"\bAND\b", ["OR"]),
        (r"\bOR\b(?! REPLACE)", ["AND"]),
        (r"\bIS NOT NULL\b", ["IS NULL"]),
        (r"\bIS NULL\b", ["IS NOT NULL"]),
        (r"\bIF NOT\b(?! EXISTS)", ["IF"]),
        (r"\bNOT (?!NULL|EXISTS|IN\b|DISTINCT)", [""]),
        (r"\btrue\b", ["false"]),
        (r"\bfalse\b", ["true"]),
        (r" \+ ", [" - "]),
        (r" - ", [" + "]),
        (r"\b[1-9][0-9]{0,3}\b", ["0", "2147483647"]),
        (r"\b0\b", ["1"]),
        (r"\bgreatest\b", ["least"]),
        (r"\bleast\b", ["greatest"]),
        (r"\bmin\b", ["max"]),
        (r"\bmax\b", ["min"]),
        (r"^\s+PERFORM .*;$", [""]),
        (r"\bSTRICT\b", [""]),
        (r"\bSECURITY DEFINER\b", [""]),
        (r"\bFOR (NO KEY )?UPDATE\b", [""]),
    ],
}
KINDS = {".cpp": ".cpp", ".hpp": ".cpp", ".sql": ".sql", ".in": ".sql"}


# What is no expression. Changed options of a definition would not even install.
IGNORED = {
    ".cpp": r"//.*|^\s*/?\*.*|^\s*static_assert\(.*",
    ".sql": r"--.*|^COMMENT ON.*|^ *'.*|\bSET [a-z_.]+ = .*|\b[A-Z]+ = .*|\b(OPERATOR|FUNCTION) [0-9].*",
}


class Lines:
    """The lines that can be changed, from which a mutant is drawn."""

    def __init__(self, chance):
        self.chance = chance
        self.places = []
        for folder in FOLDERS:
            for path in sorted((TREE / folder).rglob("*")):
                kind = KINDS.get(path.suffix)
                if kind and path.is_file():
                    for number, line in enumerate(path.read_text().split("\n")):
                        if self.choices(line, kind):
                            self.places.append((path, number, kind))

    @staticmethod
    def choices(line, kind):
        # No expression matches a line feed, and a place in the result is the same place in the line.
        code = re.sub(IGNORED[kind], lambda found: "\n" * len(found[0]), line)
        return [
            (found.start(), found.end(), replacement)
            for expression, replacements in REPLACEMENTS[kind]
            for found in re.finditer(expression, code)
            for replacement in replacements
        ]

    def draw(self):
        """Returns a file, the number of a line in it, and what the line becomes. Draws no line twice."""
        path, number, kind = self.places.pop(self.chance.randrange(len(self.places)))
        line = path.read_text().split("\n")[number]
        start, end, replacement = self.chance.choice(self.choices(line, kind))
        return path, number, line, line[:start] + replacement + line[end:]


class Tests:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        # Within test/run these have values for this run.
        private = "KID_WORK", "TESTS", "SUITES", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"
        self.environment = {name: value for name, value in os.environ.items() if name not in private}
        # No test needs the bitcode, and to make it takes as long as the compiler takes for kid.
        quick = {"FAIL_FAST": "yes", "MAKEFLAGS": "with_llvm=no"}
        self.environment |= {"KID_WORK": str(self.folder / "work"), **quick}

    def follow(self, path):
        """Lets the texts that repeat lines of a file, which has changed, agree with it."""
        subprocess.run(["make", "released"], cwd=TREE, env=self.environment, stdout=subprocess.DEVNULL, check=False)
        MODEL_CODE.write_text("\n".join(self.named_line(line, path) for line in MODEL_CODE.read_text().split("\n")))

    @staticmethod
    def named_line(line, path):
        """Returns a line of test/model/code, with another text of the file if the file has the line's text no more."""
        mark, file, text = line.split(" | ", 2) if line.count(" | ") >= 2 else (line, "", "")
        squeezed = re.sub(r"\s+", " ", path.read_text())
        return (
            f"{mark} | {file} | {squeezed[:9]}"
            if file == str(path.relative_to(TREE)) and text not in squeezed
            else line
        )

    def run(self, name, minutes, *goal):
        """Returns whether a goal of the Makefile ended well within so many minutes, and its output."""
        log = self.folder / f"{name}.log"
        command = ["timeout", "--kill-after=30", str(60 * minutes), "make", *goal]
        streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
        with open(log, "w") as output:
            status = subprocess.run(command, cwd=TREE, env=self.environment, stdout=output, **streams).returncode
        return status == 0, log.read_text(errors="replace")

    def built(self):
        """Returns a digest of what make check has built and installed, or None if that failed."""
        digest = hashlib.sha256()
        prefix = self.folder / "work/root"
        files = sorted(each for each in prefix.rglob("*") if re.match(r"kid(\.so|[_a-z]*--.*\.sql)$", each.name))
        for file in files:
            digest.update(file.read_bytes())
        return digest.hexdigest() if files else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--places", type=str.split, default=[])
    options = parser.parse_args()
    print(f"# KID_SEED={options.seed}", flush=True)
    lines, tests = Lines(random.Random(options.seed)), Tests(options.folder)
    print(f"# {len(lines.places)} lines can be changed", flush=True)
    good, output = tests.run("clean", 60, "check")
    if not good:
        sys.exit(f"make check fails without a mutant:\n{output[-2000:]}")
    clean = tests.built()
    if clean is None:
        sys.exit("make check has installed no kid where this looks for it")
    counts = dict.fromkeys(["make check", "make test", NO_TEST], 0)
    tried = 0
    count = len(options.places) or options.count
    while tried < count and lines.places:
        path, number, old, new = lines.draw()
        place = f"{path.relative_to(TREE)}:{number + 1}"
        if options.places and place not in options.places:
            continue
        text, model_code = path.read_text(), MODEL_CODE.read_text()
        changed = text.split("\n")
        changed[number] = new
        path.write_text("\n".join(changed))
        try:
            tests.follow(path)
            found_by = find(tests, clean, tried + 1, options.quick)
        finally:
            path.write_text(text)
            tests.follow(path)
            MODEL_CODE.write_text(model_code)
        if found_by == NO_MUTANT:
            continue
        tried += 1
        counts[found_by] += 1
        print(f"{'not ok' if found_by == NO_TEST else 'ok'} {tried} - {place}: found by {found_by}")
        print(f"# -{old}\n# +{new}", flush=True)
    print(f"1..{tried}")
    print("# " + ", ".join(f"{count} found by {name}" for name, count in counts.items()))


def find(tests, clean, number, quick):
    """Returns which goal finds the mutant, NO_TEST if none does, or NO_MUTANT if it is not counted."""
    good, output = tests.run(f"{number}.check", 20, "check")
    if re.search(r"^failed: make|\.[ch]pp:[0-9:]+ error: ", output, re.M) or tests.built() == clean:
        return NO_MUTANT
    if not good:
        return "make check"
    if quick:
        return NO_TEST
    # kidctl's tests take longest, and do not often find what the others have not found.
    files = sorted(str(path.relative_to(TREE)) for path in (TREE / "test/t").glob("*.pl"))
    for of_kidctl in False, True:
        names = " ".join(file for file in files if file.startswith("test/t/kidctl") == of_kidctl)
        good, output = tests.run(f"{number}.test", 90, "test", f"TESTS={names}")
        if not good:
            return "make test"
    return NO_TEST


main()
