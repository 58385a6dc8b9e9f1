// The keyboard: g and a letter opens a view, j and k move in a list, a letter on a button presses it in the chosen row.
const isTyping = (event) => event.target.closest("input, textarea, select, [contenteditable]") || event.ctrlKey || event.metaKey || event.altKey;
const rows = () => [...document.querySelectorAll("#main [data-row]")].filter((one) => one.offsetParent);
let chosen = "";
let place = 0; // of the chosen row, and the view it was chosen in: where it goes, the one in its place is chosen
let view = "";
let prefix = "";

function note(one) {
  chosen = one?.dataset.row || "";
  place = one ? rows().indexOf(one) : 0;
  view = location.pathname;
}
function choose(one) {
  for (const row of rows()) row.classList.toggle("chosen", row === one);
  note(one);
  one?.scrollIntoView({ block: "nearest" });
  const inside = [...(one?.querySelectorAll("a, button, summary") || [])].find((each) => each.offsetParent && each.tabIndex >= 0);
  if (one && !inside) one.tabIndex = -1;
  (inside || one)?.focus({ preventScroll: true });
}
function move(by) {
  const all = rows();
  const at = all.findIndex((one) => one.dataset.row === chosen);
  if (all.length) choose(all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))]);
}
function press(key) {
  const row = rows().find((one) => one.dataset.row === chosen);
  const button = row?.querySelector(`[data-press="${key}"]`) || document.querySelector(`#main [data-press="${key}"]:not([data-row] *)`) || (key === "u" ? [...document.querySelectorAll("#toasts [data-undo]")].pop() : null);
  button?.click();
  return Boolean(button);
}
function sheet() {
  const dialog = document.getElementById("keys");
  const line = (keys, words) => { const row = document.createElement("tr"); const left = document.createElement("td"); left.className = "nowrap"; for (const key of keys.split(" ")) { const one = document.createElement("kbd"); one.textContent = key; left.append(one, " "); } const right = document.createElement("td"); right.textContent = words; row.append(left, right); return row; };
  const table = document.createElement("table");
  const views = [...document.querySelectorAll("#nav a")].map((one) => line(one.dataset.key, one.firstChild.textContent.trim()));
  const here = [...new Map([...document.querySelectorAll("#main [data-press]")].map((one) => [one.dataset.press, one.dataset.says || one.textContent.trim()]))].map(([key, words]) => line(key, words));
  table.append(...views, line("j k", "next and previous row"), line("Enter", "open the row"), line("/", "search"), line("u", "undo what was just done"), ...here.filter((one) => !one.textContent.startsWith("u ")), line("r", "look again, where no row is chosen"), line("?", "these keys"));
  const title = document.createElement("h2"); title.id = "keys-title"; title.textContent = "Keys";
  const close = document.createElement("button"); close.className = "button"; close.textContent = "Close"; close.onclick = () => dialog.close();
  dialog.replaceChildren(title, table, close);
  dialog.showModal();
}
function start(look) {
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || document.querySelector("dialog[open]")) return;
    const key = event.key;
    const link = prefix === "g" && document.querySelector(`#nav a[data-key="g ${key}"]`);
    prefix = key === "g" && prefix !== "g" ? "g" : "";
    let done = true;
    if (link) link.click();
    else if (prefix) return;
    else if (key === "j") move(1);
    else if (key === "k") move(-1);
    else if (key === "?") sheet();
    else if (key === "/") document.querySelector("#main input[type=search]")?.focus();
    else if (key === "Escape") choose(null);
    else if (key.length === 1 && press(key)) { /* pressed */ }
    else if (key === "r") look();
    else done = false;
    if (done) event.preventDefault();
  });
  document.addEventListener("focusin", (event) => { const row = event.target.closest?.("#main [data-row]"); if (row && row.dataset.row !== chosen) { for (const one of rows()) one.classList.toggle("chosen", one === row); note(row); } });
}
// After a part was shown anew the chosen row is chosen again, or the one in its place.
function settle() {
  if (!chosen) return;
  const all = rows();
  const again = all.find((one) => one.dataset.row === chosen);
  if (again) again.classList.add("chosen");
  else if (view !== location.pathname) chosen = "";
  else if (all.length && !isTyping({ target: document.activeElement || document.body })) choose(all[Math.min(place, all.length - 1)]);
}
export const keyboard = { start, sheet, settle };
