"""The notebooks run from top to bottom with a small budget, and are stored without output."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LINK = re.compile(r"\]\(([^)#:]+)\)")
SECONDS = 600  # for one cell: it may compile the rules first

# In place of the cells tagged `parameters`: enough to run, far too little to learn anything.
SMALL = {
    "2_train_and_evaluate": """
DECISIONS = 2048
GAMES = 4
MORE = ["num_envs=32", "num_steps=16", "hidden_sizes=[16, 16]", "minibatch_size=128"]
MORE += ["precision='float32'", "processes=1"]
""",
    "3_your_own_bot_and_cards": "GAMES = 4",
}


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def names(text: str) -> set[str]:
    return {line.split(" = ")[0] for line in text.splitlines() if " = " in line}


def test_there_are_three() -> None:
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_stored_without_output(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert not any(cell.outputs or cell.execution_count for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_links_lead_to_files(path: Path) -> None:
    links = LINK.findall("\n".join(cell.source for cell in read(path).cells))
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []


@pytest.mark.pitfall("S20")
@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # what the notebook writes goes there
    notebook = read(path)
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())]
    assert len(tagged) == (path.stem in SMALL)
    for cell in tagged:
        assert names(cell.source) == names(SMALL[path.stem])
        cell.source = SMALL[path.stem]
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute()  # raises what a cell raises
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
