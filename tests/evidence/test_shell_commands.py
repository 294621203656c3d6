"""What a shell command does to files, and whether it only looks: the forms in which agents write them."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brim.evidence import shell
from brim.evidence.shell import files_changed, only_looks, read_script, unseen

CASES = [
    ("sed -i 's/a/b/' x.py y.py", "modified x.py, modified y.py"),
    ("sed -i '' -e 's/a/b/' x.py", "modified x.py"),
    ("sed -i.bak -E 's/(a)/b/' x.py", "modified x.py"),
    ("sed --in-place --expression=s/a/b/ x.py", "modified x.py"),
    ("sed -n '1,5p' x.py", ""),
    ("perl -0pi -e 's/a/b/' 'my file.py'", "modified my file.py"),
    ("perl -ne 's/a/b/' x.py", ""),
    ("cat > a.py <<'EOF'\nx > y\nrm z\nEOF\necho done", "written a.py"),
    ("cat <<EOF > a.py\n$(make)\n", "written a.py"),
    ("cat > a <<A && touch t\n1\nA\n", "written a, written t"),
    ("cat > a <<A; touch t\n1\nA\n", ""),
    ("cat a>b&&cat c>>d", "written b, modified d"),
    ("make > build.log 2>&1", "stored build.log"),
    ("make 2>/dev/null >&2", ""),
    ("echo x | tee -a a.txt > /dev/null", "modified a.txt"),
    ("mv a.py b.py", "deleted a.py, written b.py"),
    ("mv a.py lib", "deleted a.py"),
    ("mv a.py b.py lib/", "deleted a.py, deleted b.py, written lib/a.py, written lib/b.py"),
    ("cp -r src dst; cp -t lib a", "written dst"),
    ("rm -rf build dist $X *.pyc", "deleted build, deleted dist"),
    ("touch -d now n.py", "written n.py"),
    ("git mv a b; git rm -r c; git rm --cached d", "deleted a, written b, deleted c"),
    ("git -C /w checkout HEAD -- a.py; git checkout -- .; git checkout main", "restored /w/a.py"),
    ("git restore a.py; git restore --staged b.py; git restore -s v1 c.py", "restored a.py, modified c.py"),
    ("git checkout v1 -- a.py; git checkout -q -- b.py", "modified a.py, restored b.py"),
    ("cd /w && sed -i s/a/b/ x.py", "modified /w/x.py"),
    ("cd sub; touch y; cd ..; touch z; cd ..; touch w", "written sub/y, written z"),
    ("cd $D && touch y /w/z", "written /w/z"),
    ("(cd /w && touch x); touch y", "written /w/x, written y"),
    ("bash -lc 'cd /w && touch x'", "written /w/x"),
    ("[ -f x ] && rm x; ls", ""),
    ("[ -f x ] && rm x", "deleted x"),
    ("if [ -f x ]; then rm x; fi; rm y", "deleted y"),
    ("for f in a b; do echo $f >> out; done", ""),
    ("rm a || true", "deleted a"),
    ("false || touch a", ""),
    ("[ -f x ] && make || rm x", ""),
    ("make && true || rm x", ""),
    ("make && [ -f x ] && rm x || rm y", ""),
    ("sudo -E rm /etc/x", "deleted /etc/x"),
    ("git commit -m \"$(cat <<'EOF'\nDon't (do > this\nEOF\n)\" && touch k", "written k"),
    ("echo \"a > b\" '> c' \\> d # > e", ""),
    ("[[ a > b ]] && (( x > 5 )); echo $((5 > 3))", ""),
    ("diff <(ls) <(ls -a)", ""),
    ("echo 'open > x", ""),
    ("python - <<E\nopen('f', 'w')\nE", ""),
    ("find . -exec sed -i s/a/b/ {} \\;", ""),
    ("echo x > /tmp/y; rm /tmp/z", "deleted /tmp/z"),
]


@pytest.mark.parametrize(("command", "expected"), CASES)
def test_files_changed(command, expected):
    """Each path stands in the command, or follows from it."""
    found = [f"{change.act} {change.path}" for change in files_changed(command)]
    assert found == (expected.split(", ") if expected else [])


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="ab '\"\\$(){}[]<>|&;\n`#=-/*~!\0\ud800é", max_size=60),
    st.lists(
        st.sampled_from(
            ["if ", "then ", "fi ", "case x in ", "esac ", "do ", "done ", "<<E\n", "E\n", "$(", ")", "x=("]
        )
    ).map("".join),
)


@given(HOSTILE)
@example("\ud800")
def test_any_text_is_read(text):
    """No command makes the reader fail, and no path has a line break."""
    for script in (text, f"rm {text}", f"cat <<{text}\nrm a"):
        only_looks(script)
        unseen(script)
        assert all(change.path.isprintable() for change in files_changed(script))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("( ", " )"), ("{ ", "; }"), ("echo $(", ")"), ('echo "$(', ')"'), ("if a; then ", "; fi"), ("f() { ", "; }")],
)
def test_what_is_nested_deep_is_not_read(opening, closing):
    """Nor does it exhaust the stack."""
    nested = {depth: f"rm x; {opening * depth}make{closing * depth}" for depth in (10, 1_000, 5_000)}
    assert [len(files_changed(script)) for script in nested.values()] == [1, 0, 0]


@pytest.mark.parametrize("piece", ["))", "]]", "<<<", "a=(", "a|", "for ((", "[[ a =~ (", "case a in b) c;; ", "é"])
def test_the_parser_s_work_is_in_proportion(piece, monkeypatch):
    """It asks for at most 16 readings of each piece, whatever the text."""
    asked = 0

    class Counted(bytes):
        """Bytes that count how often a piece of them is taken."""

        def __getitem__(self, index):
            nonlocal asked
            asked += 1
            return super().__getitem__(index)

    script = f"rm {piece * 20_000}"[:20_000].encode(errors="replace")
    shell._tree(Counted(script))
    assert asked <= len(script) // 1_024 * 16 + 64


@pytest.mark.nightly
@pytest.mark.parametrize(
    "piece",
    ['"$(', "$(", "(", "'", "`", "<<a ", "<<'", "# x\n", "git ", "> ", "${", "if ", "cat <<A\n", "rm a\n", "))", "<<<"],
)
def test_time_is_in_proportion(piece):
    """A command of eight times the length takes less than some twenty-four times as long, not sixty-four."""

    def seconds(count: int) -> float:
        script = f"rm {piece * count}"
        begun = process_time()
        files_changed(script)
        return process_time() - begun

    short, long = seconds(10_000 // len(piece)), seconds(80_000 // len(piece))
    assert long < max(24 * short, 0.5)


@pytest.mark.parametrize(
    ("script", "programs"),
    [
        ("cat > notes.txt <<EOF # write\nhello\nEOF", ["cat"]),
        ("cat <<A # b\n$(id) # no\nA", ["id", "cat"]),
        ("ls | # list\n grep x > out", ["ls", "grep"]),
        ("sed -i s/a/b/ x && # fix\npytest", ["sed", "pytest"]),
        ("make || # else\n ninja", ["make", "ninja"]),
        ("for x in a # b\ndo ls; done # c", ["ls"]),
        ("case a in # b\n a) ls;; # c\nesac", ["ls"]),
        ("! # no\nls", ["ls"]),
        ("( # a\nls\n# b\n)", ["ls"]),
        ("A=(a # b\n c) ls # d", ["ls"]),
        ("cat < # a\n x", ["cat"]),
    ],
)
def test_a_comment_is_no_command(script, programs):
    """Wherever it stands: behind an operator, the opening of a here-document or a keyword."""
    commands = [one for one in read_script(script) if one.words]
    assert [one.words[0].text for one in commands] == programs
    files_changed(script)


@pytest.mark.parametrize("program", ["exec", "cat"])
def test_a_here_document_of_a_descriptor_is_read(program):
    """The parser gives its statement no children in front of it."""
    (command,) = read_script(f"{program} 3<<EOF\nx\nEOF")
    assert ([word.text for word in command.words], command.here) == ([program], "x\n")
