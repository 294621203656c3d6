// Numbers with separators and ids of rules are whole terms, as in the index.
var withIds = (query) => query.replace(/\b([A-Za-z]{3})-(\d\d)\b/g, "$1_$2");
var splitQuery = (query) =>
  (withIds(query).replace(/(\d) %/g, "$1%").match(/\d+(?:[.,]\d+)*%?|[\p{Letter}\p{Number}_]+/gu) || [])
    .map((term) => (/^\d{4,}$/.test(term) ? Number(term).toLocaleString("en-US") : term));

// A result says what it is. Those whose title holds the words come first, then guides, or what has the number or the id.
var KINDS = [
  [/^guides\//, "Guide", 9],
  [/^rulebook\/[^/]+\/index$/, "Room", 6],
  [/^rulebook\/[^/]+\//, "Feature", 8],
  [/^decisions\/\d/, "Decision", 5],
  [/^reference\/command_line$/, "Command", 4],
  [/^reference\/api\//, "Python", 3],
  [/^reference\//, "Reference", 3],
  [/^implementers\//, "Implementers", 2],
  [/^sources\/\w+$(?<!index)/, "Source", 1],
  [/^/, "Page", 0],
];
var stems = (query) => splitQuery(query.toLowerCase()).map((word) => word.replace(/(?<=\w{3})(?:ing|e[ds]|s)$/, ""));
var called = (kind, [, title, anchor]) => {
  const rule = /^#rule-(\w+?)(?:-\d+)?$/.exec(anchor);
  const option = /^(brim(?:-\w+)*)\.(.+)$/.exec(title);
  if (rule) return `Rule ${rule[1].toUpperCase()}: ${title}`;
  if (option && kind === "Command") return `Command: ${option[1].replaceAll("-", " ")} ${option[2]}`;
  return `${kind}: ${title}`;
};
Scorer.score = (result) => {
  const query = new URLSearchParams(location.search).get("q") || "";
  const [, kind, place] = KINDS.find(([pages]) => pages.test(result[0]));
  const words = stems(query), title = result[1].toLowerCase();
  const held = words.filter((word) => title.includes(word)).length / (words.length || 1);
  const first = /\d/.test(query) && kind === "Guide" ? 7 : place;
  result[1] = called(kind, result);
  return result[4] + 20 * held + first / 10;
};
if (typeof Search !== "undefined") {
  const parsed = Search._parseQuery;
  Search._parseQuery = (query) => parsed(withIds(query));
}
