"""For MkDocs: what the pages link to outside `docs/` is put on the site too.

In the repository a link leads to the file itself. On the site the pages of the root become pages,
and any other file is copied as it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
HOME = {"README.md": "index.md"}  # the site's own home says the same
COPIES = "files"  # folder of the site
LINK = re.compile(r"(\]\()([^)#:\s]+)(?=[)#])")


def on_files(files: Files, config: Any) -> Files:
    """The pages of the root, and every file that some page links to."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    sources = [Path(each.abs_src_path) for each in files.documentation_pages()]
    targets = {
        target
        for source in sources
        for _, link in LINK.findall(source.read_text(encoding="utf-8"))
        if (target := repository_path(source, link)) is not None
    }
    for target in sorted(targets):
        if is_copied(target):
            place = f"{COPIES}/{target}"
            files.append(File.generated(config, place, abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The links of a page, as they lead on the site."""
    source = Path(page.file.abs_src_path)
    here = PurePosixPath(page.file.src_uri).parent

    def on_site(match: re.Match[str]) -> str:
        target = repository_path(source, match[2])
        place = None if target is None else site_path(target)
        return match[0] if place is None else match[1] + os.path.relpath(place, here)

    return LINK.sub(on_site, markdown)


def repository_path(source: Path, link: str) -> str | None:
    """Where a link of a file leads, from the root; None if there is nothing."""
    target = (source.parent / link).resolve()
    if not target.is_relative_to(ROOT) or not target.is_file():
        return None
    return target.relative_to(ROOT).as_posix()


def site_path(target: str) -> str | None:
    """Where that is on the site, from its root."""
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return PAGES.get(target) or HOME.get(target) or f"{COPIES}/{target}"


def is_copied(target: str) -> bool:
    """Is it a file that the site has as it is?"""
    return not target.startswith("docs/") and target not in PAGES and target not in HOME
