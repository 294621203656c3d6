// Tables that are too wide are set tighter, or as cards on a phone; what still is says so at its edge.
// The index of rules can be narrowed down.
(() => {
  const lookAt = (region) =>
    region.toggleAttribute("data-more", region.scrollWidth - region.clientWidth - region.scrollLeft > 1);
  const narrow = matchMedia("(max-width: 576px)");
  const fit = (region) => {
    region.classList.remove("cards", "tight");
    if (region.scrollWidth - region.clientWidth > 1 && !region.querySelector(".examples, .step-table"))
      region.classList.add(narrow.matches ? "cards" : "tight");
    lookAt(region);
  };
  // A card says of each value what column it is of.
  for (const table of document.querySelectorAll(".table-region table:not(.examples, .step-table)")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.innerText);
    for (const row of table.tBodies[0]?.rows ?? [])
      [...row.cells].forEach((cell, place) => heads[place] && cell.innerText.trim() && (cell.dataset.column = heads[place]));
  }
  const watch = new ResizeObserver((met) => met.forEach(({ target }) => fit(target)));
  for (const region of document.querySelectorAll(".table-region")) {
    region.addEventListener("scroll", () => lookAt(region), { passive: true });
    watch.observe(region);
  }

  const rows = [...document.querySelectorAll(".rule-index tbody tr")];
  if (!rows.length) return;

  const CHOICES = {
    state: [["", "every state"], ["is-passed", "holds"], ["is-failed", "fails"], ["is-skipped", "skipped"],
      ["is-not-run", "not run"]],
    portable: [["", "portable or not"], ["is-portable", "portable"], ["is-partly-portable", "partly portable"]],
  };
  const plain = (text) => text.toLowerCase().replace(/\b([a-z]{3})[- ]?(\d\d)\b/g, "$1_$2").replace(/\s+/g, " ");
  const there = ([name]) => !name || rows.some((row) => row.classList.contains(name));
  const words = Object.assign(document.createElement("input"), { type: "search", placeholder: "TRG_04, or any words" });
  const labelled = (label, field) => {
    const around = document.createElement("label");
    around.append(label, field);
    return around;
  };
  const choose = (name) => {
    const field = document.createElement("select");
    for (const [value, said] of CHOICES[name].filter(there)) field.append(new Option(said, value));
    return field;
  };
  const [state, portable] = [choose("state"), choose("portable")];
  const count = Object.assign(document.createElement("p"), { className: "count" });
  count.setAttribute("role", "status");
  const form = Object.assign(document.createElement("form"), { className: "narrow-down" });
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "The rules below");
  form.append(labelled("Rules with", words), labelled("State", state), labelled("Portable", portable), count);

  const texts = rows.map((row) => plain(row.textContent));
  const narrowDown = () => {
    const wanted = plain(words.value).split(" ").filter(Boolean);
    const classes = [state.value, portable.value].filter(Boolean);
    let left = 0;
    rows.forEach((row, place) => {
      const fits = wanted.every((word) => texts[place].includes(word));
      row.hidden = !(fits && classes.every((name) => row.classList.contains(name)));
      left += !row.hidden;
    });
    for (const table of document.querySelectorAll(".rule-index"))
      table.closest("section").hidden = !table.querySelector("tbody tr:not([hidden])");
    count.textContent = left === rows.length ? `${left} lines` : `${left} of ${rows.length} lines`;
  };
  form.addEventListener("input", narrowDown);
  form.addEventListener("submit", (event) => event.preventDefault());
  // A link to a family brings back what is hidden.
  addEventListener("hashchange", () => {
    if (document.querySelector(":target")?.closest("[hidden]")) (form.reset(), narrowDown());
  });
  document.querySelector(".rule-index").closest("section").before(form);
  const asked = new URLSearchParams(location.search);
  words.value = asked.get("q") ?? "";
  for (const [field, name] of [[state, "state"], [portable, "portable"]])
    if (asked.get(name) && there([`is-${asked.get(name)}`])) field.value = `is-${asked.get(name)}`;
  narrowDown();
})();
