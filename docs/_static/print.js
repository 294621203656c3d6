// On paper the theme is the light one, whatever it is on the screen.
(() => {
  const page = document.documentElement;
  let onScreen;
  const toPaper = () => {
    onScreen ??= page.dataset.theme;
    page.dataset.theme = "light";
  };
  const toScreen = () => {
    if (onScreen !== undefined) page.dataset.theme = onScreen;
    onScreen = undefined;
  };
  addEventListener("beforeprint", toPaper);
  addEventListener("afterprint", toScreen);
  matchMedia("print").addEventListener("change", (paper) => (paper.matches ? toPaper() : toScreen()));
})();
