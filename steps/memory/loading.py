"""Steps of features/memory/loading.feature."""

from __future__ import annotations

import os

from pytest_bdd import given, then, when

from steps.vocabulary import phrase

REPEATED = b"a0: &a0 [1, 1]\n" + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (n, n, n - 1, n - 1) for n in range(1, 40))
"""Each line repeats the one above twice."""
FAULTS = {
    "binary from its third line on": b"Use tabs.\n\n\x89PNG\0\n",
    "not UTF-8 on its second line": b"Use tabs.\nMind the caf\xe9.\n",
    "UTF-16": "Use tabs.".encode("utf-16"),
    "of broken front matter": b"---\nowner: tide\nfiles: a: b\n---\nUse tabs.\n",
    "of front matter with a long number": b"---\nowner: tide\ncode: " + b"1" * 5_000 + b"\n---\nUse tabs.\n",
    "of front matter with a field twice": b"---\nowner: tide\nowner: me\n---\nUse tabs.\n",
    "of front matter that repeats values": b"---\n" + REPEATED + b"---\nUse tabs.\n",
    "of long front matter": b"---\nowner: " + b"x" * 49_999 + b"\n---\nUse tabs.\n",
}


@given(phrase('a memory file "{name:Quoted}" of {size:Count} bytes'))
def write_large(memory_files, name, size):
    memory_files.write(name, b"x" * size)


@given(phrase('a memory file "{name:Quoted}" that is {fault}'))
def write_faulty(memory_files, name, fault):
    path = memory_files.root / name
    if fault == "a folder":
        path.mkdir()
    elif fault == "a pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(FAULTS[fault])


@given(phrase('{count:Count} files that end in "md" in the folder "{folder:Quoted}"'))
def write_many(memory_files, count, folder):
    for number in range(count):
        memory_files.write(f"{folder}/{number}.md")


@when(phrase('brim shows the memory of "{folder:Quoted}" by its settings'), target_fixture="shown")
def show_by_settings(memory_files, folder):
    return memory_files.show(folder)


@then("the text is")
def check_text(shown, docstring):
    assert shown.files.named(shown.answer.json["text"]) == docstring


@then(phrase('the text of "{name:Quoted}" is "{text:Quoted}"'))
def check_text_of(shown, name, text):
    assert shown.texts[name] == text
