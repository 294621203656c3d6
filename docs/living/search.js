// Numbers with separators and ids of rules are whole terms, as in the index: 32000 and 32,000, trg04 and TRG-04.
var withIds = (query) => query.replace(/\b([A-Za-z]{3})-?(\d\d)\b/g, "$1_$2");
var splitQuery = (query) =>
  (withIds(query).replace(/(\d) %/g, "$1%").match(/\d+(?:[.,]\d+)*%?|[\p{Letter}\p{Number}_]+/gu) || [])
    .map((term) => (/^[1-9]\d{3,}$/.test(term) ? Number(term).toLocaleString("en-US") : term));

// A result says what it is. Those whose title holds the words come first, names of the library last.
var KINDS = [
  [/^guides\/porting$/, "Guide", -10], // it holds most words of most rules
  [/^guides\//, "Guide", 0.9],
  [/^rulebook\/[^/]+\/index$/, "Package", 0.6],
  [/^rulebook\/[^/]+\//, "Feature", 0.8],
  [/^decisions\/\d/, "Decision", 0.5],
  [/^reference\/command_line$/, "Command", 0.4],
  [/^reference\/api\/errors$/, "Reference", 0.3],
  [/^reference\/api\//, "Python", -30],
  [/^reference\//, "Reference", 0.3],
  [/^sources\/\w+$(?<!index)/, "Source", 0.1],
  [/^/, "Page", 0],
];
var IN_TITLE = 20, SHOWN = 160;
var called = (kind, title) => {
  const option = kind === "Command" && /^(brim(?:-\w+)*)\.(.+)$/.exec(title);
  return option ? `Command: ${option[1].replaceAll("-", " ")} ${option[2]}` : `${kind}: ${title}`;
};

if (typeof Search !== "undefined") {
  const stemmer = new Stemmer();
  const stems = (text) => splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word));
  const share = (terms, words) =>
    terms.filter((term) => words.some((word) => word === term || (term.length > 3 && word.startsWith(term)))).length
      / (terms.length || 1);
  const plain = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;
  let asked = [];
  const read = {};

  // Every sentence of a rule, or every message that an example quotes, by the page that it stands on.
  const objects = (type) =>
    (read[type] ??= Object.entries(Search._index.objects).flatMap(([prefix, found]) =>
      found
        .filter(([, kind]) => Search._index.objnames[kind][0] === "rule" && Search._index.objnames[kind][1] === type)
        .map(([page, , , anchor, name]) => {
          const said = plain(prefix ? `${prefix}.${name}` : name);
          return { page: Search._index.docnames[page], file: Search._index.filenames[page],
            title: Search._index.titles[page], anchor: `#${anchor}`, said, words: stems(said) };
        })));
  const sentences = () => objects("rule");

  // Messages: what is asked may be a part of one, or hold one with other values in it.
  const PART = 4, MOST = 0.7, WHOLE = 60;
  const ofMessages = (query) => {
    const pasted = stems(query);
    return pasted.length < PART ? [] : objects("message").flatMap(({ page, anchor, said, title, file, words }) => {
      const [part, held] = [share(pasted, words), words.length < PART ? 0 : share(words, pasted)];
      const telling = words.some((word) => !stopwords.has(word) && pasted.includes(word));
      return !telling || Math.max(part, held) < MOST ? []
        : [[page, `Message: ${said}`, anchor, title, WHOLE * (part + held), file, SearchResultKind.object]];
    });
  };
  const ofRules = (least) =>
    sentences()
      .map((rule) => ({ ...rule, held: share(asked, rule.words) }))
      .filter((rule) => rule.held > 0 && rule.held >= least)
      .map(({ page, anchor, said, title, file, held, words }) => [page,
        `Rule ${said}`, anchor, title,
        (asked.some((term) => /^[a-z]{3}_\d\d$/.test(term)) ? 100 : asked.length > 1 ? 10 : 30) + IN_TITLE * held
          + (IN_TITLE * asked.length) / words.length, file, SearchResultKind.object]);

  // Every heading that holds all of several words, or has one word or two of which one is asked for, by its page.
  const ofHeadings = () => {
    const { alltitles, docnames, filenames, titles } = Search._index;
    return Object.entries(alltitles).flatMap(([title, places]) => {
      const words = stems(title);
      const lone = asked.length === 1;
      if (share(asked, words) < 1 || (lone && (words.length > 2 || !words.includes(asked[0]) || /\d/.test(asked[0])))) return [];
      const score = (lone ? 30 : 10) + IN_TITLE + (IN_TITLE * asked.length) / words.length;
      return places.filter(([page, anchor]) => anchor && !/^(rule|scenario)-/.test(anchor)
        && !(lone && docnames[page].startsWith("reference/api/"))).map(([page, anchor]) =>
        [docnames[page], `${titles[page]} > ${title}`, `#${anchor}`, null, score, filenames[page], SearchResultKind.title]);
    });
  };

  Scorer.score = ([page, title, , , score]) => {
    const [, , place] = KINDS.find(([pages]) => pages.test(page));
    return score + IN_TITLE * share(asked, stems(title)) + place;
  };
  const parsed = Search._parseQuery;
  Search._parseQuery = (query) => parsed(withIds(query));
  // Pages show the sentence of theirs that holds most of the words, where one does.
  const withSentence = (result) => {
    const [page, title, , described] = result;
    const found = sentences().filter((rule) => rule.page === page);
    const best = found.sort((one, other) => share(asked, other.words) - share(asked, one.words))[0];
    const said = best && share(asked, best.words) ? best.said : described;
    return [page, called(KINDS.find(([pages]) => pages.test(page))[1], title), result[2], said, ...result.slice(4)];
  };
  const perform = Search._performSearch;
  Search._performSearch = (query, terms, ...rest) => {
    asked = [...terms];
    let pages = perform(query, terms, ...rest).filter(([page, , anchor, , , , kind]) =>
      !anchor.startsWith("#rule-") && !(kind === SearchResultKind.object && anchor.startsWith("#scenario-")) && (kind !== SearchResultKind.index || page === "reference/glossary"));
    const headings = ofHeadings();
    pages = [...pages.filter(([page, , anchor]) => !headings.some((one) => one[0] === page && one[2] === anchor)), ...headings];
    let rules = ofRules(1);
    // Where nothing has all the words, what has most of them.
    if (!pages.length && !rules.length && asked.length > 1) {
      const met = new Map();
      for (const one of asked.flatMap((word) => Search.performTermsSearch(new Set([word]), new Set())))
        met.set(one[0], [...one.slice(0, 4), (met.get(one[0])?.[4] ?? 0) + one[4], ...one.slice(5)]);
      pages = [...met.values()].map((one) => [...one.slice(0, 4), Scorer.score(one), ...one.slice(5)]);
      rules = ofRules(0.5);
    }
    const [number] = /\b0\d{3}\b/.exec(query) ?? [];
    const { docnames, filenames, titles } = Search._index;
    const decided = docnames.findIndex((page) => number && page.startsWith(`decisions/${number}`));
    if (decided >= 0)
      pages.push([docnames[decided], titles[decided], "", null, 100, filenames[decided], SearchResultKind.title]);
    return [...pages.map(withSentence), ...rules, ...ofMessages(query)].sort((one, other) => one[4] - other[4]).slice(-SHOWN);
  };
}
