// Numbers with separators and ids of rules are whole terms, as in the index: 32000 and 32,000, trg04 and TRG-04.
var splitQuery = (query) =>
  (query.replace(/\b([A-Za-z]{3})-?(\d\d)\b/g, "$1_$2").replace(/(\d) %/g, "$1%")
    .match(/\d+(?:[.,]\d+)*%?|[\p{Letter}\p{Number}_]+/gu) || [])
    .map((term) => (/^[1-9]\d{3,}$/.test(term) ? Number(term).toLocaleString("en-US") : term));

// What readers call it, and the words or the rule of the site: a query is looked for as it is, and with each in place.
var SYNONYMS = [
  [/\broll(ed|ing)?[- ]?backs?\b|\bundo\b/, "rewind", "go back"],
  [/.*\b(undo|revert|restore)\b.*\bcompact\w+/, "bring back what was compacted"],
  [/\blogg(er|ing)\b|\bsubscribe\b|\bevents?\b/, "events", "watching"],
  [/\bupgrad(e|es|ing)\b|\bcompatib\w+|\bbreaking changes?\b/, "upgrading", "changelog"],
  [/\bprecedence\b|(?<!\bwho )\bdecides?\b|\bseveral sources\b/, "settings", "setting decides"],
  [/\bunproven\b|.*\bquality\b.*/, "not proven"],
  [/\brisks?\b/, "what can go wrong"],
  [/\blatency\b|\bperformance\b/, "speed"],
  [/\brelease notes?\b|\bwhat('s| is) new\b/, "changelog"],
  [/\b(supported )?(agents|formats)\b/, "transcript formats"],
  [/.*\b(users?|we|i) los(e|es|t)\b.*/, "lost in a compaction"],
  [/.*\bthreshold (wins?|decides?|applies)\b.*/, "which threshold decides"],
  [/\bprivacy\b|\bprivate\b/, "who can read", "secrets"],
  [/\bpric(e|es|ing)\b|\bcosts?\b/, "cost", "price", "policy costs"],
  [/\b(max(imum)? )?(costs?|budget|money)\b|\bspend\w*/, "compaction cost"],
  [/\bopt(s|ed|ing)?[- ]?out\b/, "automatic compaction turned off"],
  [/\b(context|window) (is )?full\b|\bhow (often|early|late)\b.*\bcompact\w*/, "when does it compact"],
  [/.*\b(worse|dumber|forget\w*|degrad\w+)\b.*/, "what can go wrong", "what the agent needed next"],
  [/.*\bhow (long|fast|slow)\b.*\bcompact\w*.*/, "speed", "benchmarks"],
  [/\b(objections?|object|disagree|veto)( to| with)?\b/, "reject"],
  [/\b(api[- ]?key|credential|password|leak)(s|ed)?\b/, "happens to a secret"],
  [/\bpromis(e|es|ed)\b|\bguarantee(s|d)?\b/, "always kept word for word"],
  [/\bpin(s|ned|ning)?\b/, "keep word for word"],
  [/\b(cheaper|another) model\b/, "summary_model", "custom summarizer"],
  [/\bcircuit breaker\b/, "progress"],
  [/\bcut points?\b/, "CNV_05"],
  [/\bchar(acter)?s? (per|a) token\b/, "TOK_06", "estimate_tokens"],
  [/\bthread[- ]?saf(e|ety)\b/, "prepares one request at a time"],
  [/\bconcurren\w+|.*\b(during|while)\b.*\bcompact\w+/, "messages added while a summary is written"],
  [/\bexceptions?\b|\berror handling\b/, "errors"],
  [/\b[45]29\b|\brate[- ]?limit\w*|\boverload\w*/, "summary fails"],
  [/.*\btoo long\b.*/, "TRG_18", "what can go wrong"],
  [/\b(portable|implement(ation|er)s?|(examples per )?operations?|surrogates?( pairs?)?|utf[-_ ]?(8|16)|code points?)\b/, "porting"],
];

// What a result says of its page, and how far it stands above another that holds as much of the query.
var KINDS = [
  [/^guides\//, "Guide", 2.5],
  [/^rulebook\/[^/]+\/index$/, "Package", 1.5],
  [/^rulebook\/[^/]+\//, "Feature", 1.5],
  [/^decisions\/\d/, "Decision", -1],
  [/^reference\/command_line$/, "Command", 1],
  [/^reference\/api\/errors$/, "Reference", 2],
  [/^reference\/api\//, "Python", -5],
  [/^reference\//, "Reference", 2],
  [/^sources\/\w+$(?<!index)/, "Source", -2],
  [/^/, "Page", 2],
];
var RULE = 0.5, NAME = -5, SHOWN = 160;
var MUCH = 0.7, SOME = 0.3; // of the weight of a query
var DECISION = /^0\d{3}$/;

if (typeof Search !== "undefined") {
  const stemmer = new Stemmer();
  const stems = (text) => splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word));
  const plain = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;

  // All that can be found: pages, headings, sentences of rules, names and options. `words` are those of the title, `said`
  // those of the sentence.
  let everything;
  const gathered = () => {
    const { docnames, titles, alltitles, objects, objnames, indexentries } = Search._index;
    const found = [], headings = docnames.map((_, page) => [page, titles[page], ""]);
    const add = (page, title, anchor, kind, place, name, said = "") =>
      found.push({ page, title, anchor, kind, place, name: name.toLowerCase(), words: stems(name), said: stems(said) });
    for (const [prefix, those] of Object.entries(objects))
      for (const [page, type, , anchor, name] of those) {
        const whole = plain(prefix ? `${prefix}.${name}` : name);
        const [domain, kind] = objnames[type];
        if (kind === "rule") add(page, `Rule ${whole}`, `#${anchor}`, kind, RULE, "", whole);
        else if (domain === "std") add(page, `Command: ${prefix.replaceAll("-", " ")} ${name}`, `#${anchor}`, kind, 0, name);
        else add(page, `Python: ${whole}`, `#${anchor || whole}`, kind, NAME, name);
      }
    for (const [title, places] of Object.entries(alltitles))
      for (const [page, anchor] of places)
        if (anchor && title !== titles[page] && !/^(rule|scenario)-/.test(anchor)
          && !/^(changelog$|reference.api\/|rulebook\/)/.test(docnames[page])) headings.push([page, title, `#${anchor}`]);
    for (const [term, places] of Object.entries(indexentries))
      for (const [page, anchor, main] of places) if (main) headings.push([page, term, `#${anchor}`]);
    for (const [page, title, anchor] of headings) {
      const [, kind, place] = KINDS.find(([pages]) => pages.test(docnames[page]));
      add(page, `${kind}: ${anchor ? `${titles[page]} > ` : ""}${title}`, anchor, anchor ? "heading" : "page", place, title);
    }
    return found;
  };

  // The pages that hold a word, and how much it tells: the fewer they are, the more.
  const met = Object.create(null);
  const holding = (word) =>
    (met[word] ??= (() => {
      const { terms, titleterms, docnames } = Search._index;
      const all = [...Object.entries(terms), ...Object.entries(titleterms)];
      const exact = all.filter(([one]) => one === word);
      const alike = exact.length || word.length < 4 ? exact : all.filter(([one]) => one.startsWith(word));
      const pages = new Set(alike.flatMap(([, found]) => found));
      return { pages, weight: Math.log(1 + docnames.length / (1 + pages.size)) };
    })());
  const among = (word, words) =>
    words.includes(word) ? 1 : word.length > 3 && words.some((one) => one.startsWith(word)) ? 0.8 : 0;

  // How well something answers a query: a word counts most in its title, less below it, least elsewhere on its page.
  // Numbers are what rules are made of.
  const rated = (one, asked, titles, least) => {
    const head = one.kind === "rule" ? one.said : one.words;
    let [sum, most, held, titled, near] = [0, 0, 0, 0, 0];
    for (const word of asked) {
      const { pages, weight } = holding(word);
      const [inHead, inSaid] = [among(word, head), among(word, one.said)];
      const below = one.kind === "rule" && !/^\d/.test(word) ? 0.7 * inHead : inHead;
      const level = Math.max(below, 0.5 * inSaid, one.anchor ? 0.5 * among(word, titles[one.page]) : 0) || (pages.has(one.page) ? 0.25 : 0);
      [sum, most, held] = [sum + weight * level, most + weight, held + (level ? weight : 0)];
      [titled, near] = [titled + inHead, near + inHead + inSaid];
    }
    if (held < least * most || (one.anchor && !near)) return 0;
    return (10 * sum) / most + (2 * titled) / Math.max(head.length, asked.length) + one.place;
  };

  Search._performSearch = (query) => {
    const { docnames, filenames, titles } = Search._index;
    everything ??= gathered();
    const named = titles.map(stems), lower = query.trim().toLowerCase();
    const api = [`python: ${lower}`, `python: brim.${lower}`];
    const readings = [lower, ...SYNONYMS.filter(([those]) => those.test(lower))
      .flatMap(([those, ...others]) => others.map((other) => lower.replace(those, other)))]
      .map((reading) => [stems(reading).join(), stems(reading).filter((word) =>
        !stopwords.has(word) && (holding(word).pages.size || DECISION.test(word)))])
      .filter(([, asked]) => asked.length);
    const score = (one, least) => {
      if (one.kind === "rule" && readings.flat(2).includes(one.said[0])) return 1000 - (/-(\d+)$/.exec(one.anchor)?.[1] ?? 0);
      if (api.includes(one.title.toLowerCase()) || (one.name === lower && /[_.]|^--|[a-z][A-Z]/.test(query))) return 500;
      return Math.max(...readings.map(([all, asked]) => rated(one, asked, named, least) + 2 * (all === one.words.join())));
    };
    const all = (least) => everything.map((one) => [score(one, least), one]).filter(([points]) => points > 0);
    const most = all(MUCH);
    return (most.length ? most : all(SOME)).sort(([one], [other]) => other - one).slice(0, SHOWN).reverse().map(([points, one]) => [
      docnames[one.page], one.title, one.anchor, one.kind === "rule" ? titles[one.page] : "", points,
      filenames[one.page], SearchResultKind[{ page: "text", heading: "title" }[one.kind] ?? "object"]]);
  };
}
