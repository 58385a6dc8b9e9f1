// What the tests of accessibility ask of a view. They define these in its window, past its content policy.
const short = (one) => one.outerHTML.slice(0, 200);

// What axe found, a line each.
window.violations = async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map((one) => {
  const places = one.nodes.map((node) => `${node.target.join(" ")} ${node.html.slice(0, 160)}`);
  return `${one.id} (${one.impact}): ${one.help}: ${places.slice(0, 5).join(" | ")}`;
});

// The first that reach beyond the window, but for what scrolls by itself.
window.tooWide = () => [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".wide, pre, .diff, #nav, svg, .hidden"))
  .slice(0, 5).map(short);

// Where the focus is, and whether a person sees it there.
window.focused = () => {
  const one = document.activeElement;
  const box = one.getBoundingClientRect();
  return { isInMain: Boolean(one.closest("main")), seen: box.width > 0 && box.height > 0 && getComputedStyle(one).visibility === "visible", html: short(one) };
};

// What does something when it is pressed, and that no key reaches.
const BY_ITSELF = /load|live-|revealed|intersect|every|from:body/;
window.mouseOnly = () => [...document.querySelectorAll("main :is([hx-get], [hx-post], [data-press], [data-copy], [data-open])")]
  .filter((one) => !one.matches("button, a[href], form, input, select, textarea, summary") && !BY_ITSELF.test(one.getAttribute("hx-trigger") || ""))
  .map(short);
null;
