// Tables that are too wide are set tighter, or as cards on a phone; what still is says so at its edge.
(() => {
  const lookAt = (region) =>
    region.toggleAttribute("data-more", region.scrollWidth - region.clientWidth - region.scrollLeft > 1);
  const narrow = matchMedia("(max-width: 576px)");
  const fit = (region) => {
    region.classList.remove("cards", "tight");
    if (region.scrollWidth - region.clientWidth > 1) region.classList.add(narrow.matches ? "cards" : "tight");
    // The theme does so as a page opens, and not as a folded part of it does.
    region.tabIndex = region.scrollWidth > region.clientWidth ? 0 : -1;
    lookAt(region);
  };
  // A card says of each value what column it is of.
  for (const table of document.querySelectorAll(".pst-scrollable-table-container table")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.innerText);
    for (const row of table.tBodies[0]?.rows ?? [])
      for (const [place, cell] of [...row.cells].entries())
        if (heads[place] && (cell.innerText.trim() || table.matches(".examples"))) cell.dataset.column = heads[place];
  }
  const watch = new ResizeObserver((met) => met.forEach(({ target }) => fit(target)));
  for (const region of document.querySelectorAll(".pst-scrollable-table-container")) {
    region.addEventListener("scroll", () => lookAt(region), { passive: true });
    watch.observe(region);
  }
})();
