"""Steps of features/memory/imports.feature."""

from __future__ import annotations

from pytest_bdd import given, then

from steps.vocabulary import phrase


@given(phrase("a chain of {count:Count} imports"))
def write_chain(memory_files, count):
    memory_files.write("project/CLAUDE.md", b"@link1.md")
    for number in range(1, count + 1):
        memory_files.write(f"project/link{number}.md", f"@link{number + 1}.md".encode() if number < count else b"End.")


@given(phrase("a file that imports {count:Count} others"))
def write_imports(memory_files, count):
    memory_files.write("project/CLAUDE.md", b"\n".join(b"@docs/%d.md" % number for number in range(count)))
    for number in range(count):
        memory_files.write(f"project/docs/{number}.md")


@given(phrase('the memory file "{name:Quoted}" is a link to "{target:Quoted}"'))
def link(memory_files, name, target):
    (memory_files.root / name).symlink_to(memory_files.root / target)


@given(phrase('the memory file "{name:Quoted}" imports a link to "{target:Quoted}"'))
def import_link(memory_files, name, target):
    memory_files.write(name, b"@docs/linked.md")
    (memory_files.root / "project" / "docs" / "linked.md").symlink_to(memory_files.root / target)


@then("it warns of 1 fault")
def check_one(shown):
    assert len(shown.warnings) == 1


@then(phrase('it does not load "{name:Quoted}"'))
def check_not_loaded(shown, name):
    assert name not in shown.loaded
    assert f"I am {name}." not in shown.answer.json["text"]
