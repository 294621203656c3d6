"""What a browser is asked about how a page looks: functions in its language, each giving a list of what is wrong."""

TEXT = "main p, main li, main td, main th, main pre, main dd, main h1, main h2, main h3"

SMALL = """
([text, least]) => [...document.querySelectorAll(text)]
  .filter(one => one.checkVisibility() && one.textContent.trim() && parseFloat(getComputedStyle(one).fontSize) < least)
  .map(one => `smaller than ${least} pixels: ${one.textContent.slice(0, 60)}`)
"""
"""Text that is smaller than so many pixels."""

WIDE = """
() => {
  const width = document.documentElement.clientWidth;
  const end = one => Math.round(one.getBoundingClientRect().right);
  const kept = one => one && one !== document.body &&
    (getComputedStyle(one).overflowX !== 'visible' || kept(one.parentElement));
  const out = [...document.querySelectorAll('body *')]
    .filter(one => one.checkVisibility() && end(one) > width + 1 && !kept(one.parentElement))
    .map(one => `wider than the page: ${one.tagName} ${one.className} ends at ${end(one)}`);
  for (const one of document.querySelectorAll('main, .bd-content, .bd-article-container'))
    if (one.scrollWidth > one.clientWidth + 1) out.push(`the text scrolls sideways, to ${one.scrollWidth}`);
  const whole = document.documentElement.scrollWidth;
  return whole > width ? [`the page scrolls sideways, to ${whole}`, ...out] : out;
}
"""
"""What makes the page scroll sideways; a region that scrolls by itself does not."""

CUT_TABLES = """
() => [...document.querySelectorAll('main table')].filter(one => one.checkVisibility()).flatMap(table => {
  const region = table.closest('.pst-scrollable-table-container'), label = table.innerText.slice(0, 60);
  if (!region) return [`in no region: ${label}`];
  if (region.scrollWidth - region.clientWidth <= 1) return [];
  if (region.tabIndex) return [`out of reach of the keyboard: ${label}`];
  if (!region.hasAttribute('data-more')) return [`cut, and does not say so: ${label}`];
  return table.matches('.examples, .step-table') || table.rows[0].cells.length > 10 ? [] : [`cut: ${label}`];
})
"""
"""Tables that are wider than their place; examples, and what has more than ten columns, may scroll in their own."""

CUT_OFF = """
() => [...document.querySelectorAll('main *')]
  .filter(one => one.checkVisibility() && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .filter(one => getComputedStyle(one).overflowX !== 'visible')
  .map(one => `cut off: ${one.tagName} ${one.className}, ${one.scrollWidth} in ${one.clientWidth}`)
"""
"""Regions that scroll, of which paper shows the beginning alone."""

PALE = """
text => {
  const light = ([r, g, b]) => 0.3 * r + 0.6 * g + 0.1 * b;
  const colour = one => getComputedStyle(one).color.match(/[0-9.]+/g).map(Number);
  return [...document.querySelectorAll(text)]
    .filter(one => one.checkVisibility() && one.innerText.trim() && light(colour(one)) > 140)
    .map(one => `pale: ${one.innerText.slice(0, 60)}`);
}
"""
"""Text too light for white paper."""
