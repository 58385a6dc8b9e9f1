// The page: sign-in, the key in every request, what is said of changes, times in the reader's zone, keys, the live state.
import { startLive } from "./live.js";
import { keyboard } from "./keyboard.js";

const STORE = "holdfast-page";
const store = { get key() { return localStorage.getItem(STORE) || ""; }, set key(said) { said ? localStorage.setItem(STORE, said) : localStorage.removeItem(STORE); } };
export const header = () => `Holdfast-Page ${store.key}`;
const main = document.getElementById("main");
const here = () => location.pathname + location.search;
const project = () => new URLSearchParams(location.search).get("project") || "";

// A link signs in once: its secret stands behind #, and is gone from the address before anything else happens.
async function signIn() {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (!link) return;
  history.replaceState(null, "", here());
  const answer = await fetch("/page/sign-in", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ link }) });
  const said = await answer.json();
  if (answer.ok) store.key = said.key;
  else if (!store.key) signedOut(said.message);
  else toast(said.message, "bad");
}

function signedOut(why) {
  store.key = "";
  document.querySelector("[data-sign-out]").hidden = true;
  live.stop();
  const words = document.getElementById("signed-out").content.cloneNode(true);
  words.querySelector("[data-why]").textContent = why || "";
  main.replaceChildren(words);
  document.getElementById("bar").replaceChildren();
}

export function toast(words, kind = "good", undo = "") {
  const one = document.createElement("div");
  one.className = `toast ${kind}`;
  const text = document.createElement("span");
  text.textContent = words;
  one.append(text);
  const away = setTimeout(() => one.remove(), undo || kind === "bad" ? 12000 : 5000);
  if (undo) {
    const button = document.createElement("button");
    button.className = "button small";
    button.dataset.undo = "";
    button.textContent = "Undo";
    button.onclick = () => { clearTimeout(away); one.remove(); htmx.ajax("POST", undo, { target: "#main", swap: "none" }); };
    one.append(button);
  }
  const all = document.getElementById("toasts");
  all.append(one);
  while (all.children.length > 4) all.firstChild.remove();
}

// Times: exact in the title, short in the text, in the reader's own zone and language.
const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const both = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
function ago(then) {
  const s = (then - Date.now()) / 1000;
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) if (Math.abs(s) >= size) return Math.abs(s) > 30 * 86400 ? day.format(then) : relative.format(Math.round(s / size), unit);
  return relative.format(0, "second");
}
function times(root) {
  for (const one of root.querySelectorAll("time[data-form]")) {
    const form = one.dataset.form;
    const then = new Date(form === "date" ? `${one.dateTime}T12:00:00` : one.dateTime);
    if (Number.isNaN(then.getTime())) continue;
    if (form === "date") { one.textContent = day.format(then); continue; }
    one.title = both.format(then);
    one.textContent = form === "day" ? day.format(then) : form === "time" ? clock.format(then) : form === "both" ? both.format(then) : ago(then);
  }
}

// Where one is; what the project is, in every address of the navigation.
function place() {
  const view = location.pathname.split("/")[2] || "today";
  for (const one of document.querySelectorAll("#nav a")) {
    one.toggleAttribute("aria-current", false);
    if (one.dataset.view === view) one.setAttribute("aria-current", "page");
    one.href = `/page/${one.dataset.view}${project() ? `?project=${encodeURIComponent(project())}` : ""}`;
  }
}
function badge() {
  const count = Number(document.getElementById("waiting")?.dataset.count || 0);
  const link = document.querySelector('#nav a[data-view="review"]');
  link.querySelector(".count")?.remove();
  if (!count) return;
  const one = document.createElement("span");
  one.className = "count";
  one.textContent = count;
  one.setAttribute("aria-label", `${count} waiting`);
  link.append(one);
}
// Each part asks by itself: requests of one element wait for each other, and only the last that waits is sent.
const refreshBar = () => htmx.ajax("GET", `/page/bar${project() ? `?project=${encodeURIComponent(project())}` : ""}`, { source: "#bar", target: "#bar", swap: "innerHTML" });
export const look = () => htmx.ajax("GET", here(), { source: "#main", target: "#main", swap: "innerHTML" });

// What is dear to count hears of news at most every five seconds, and always of the last.
const soon = {};
const tell = (kind) => {
  htmx.trigger(document.body, `live-${kind}`);
  soon[kind] ||= setTimeout(() => { soon[kind] = 0; htmx.trigger(document.body, `live-${kind}-later`); }, 5000);
};
const live = startLive(header, project, tell);
document.body.addEventListener("htmx:configRequest", (event) => { event.detail.headers.Authorization = header(); });
document.body.addEventListener("htmx:historyCacheMiss", (event) => { event.detail.xhr.setRequestHeader("Authorization", header()); });
document.body.addEventListener("htmx:beforeSwap", (event) => { if (event.detail.xhr.status === 401) event.detail.shouldSwap = false; });
document.body.addEventListener("htmx:afterSettle", (event) => { times(event.detail.elt); place(); badge(); live.show(); keyboard.settle(); });
document.body.addEventListener("htmx:historyRestore", () => { times(main); place(); });
document.body.addEventListener("htmx:pushedIntoHistory", () => { place(); main.focus({ preventScroll: true }); });
document.body.addEventListener("htmx:responseError", (event) => {
  const { status, responseText } = event.detail.xhr;
  let said = "The server did not answer as expected; nothing was changed.";
  try { said = JSON.parse(responseText).message || said; } catch { /* not JSON: the sentence above stands */ }
  if (status === 401) signedOut(said); else toast(said, "bad");
});
document.body.addEventListener("htmx:sendError", () => toast("The server does not answer. `holdfast page` starts it; the page goes on by itself then.", "bad"));
document.body.addEventListener("live-gone", () => toast("The server does not answer. This page comes back by itself once `holdfast page` has started it.", "bad"));
document.body.addEventListener("live-back", () => { toast("The server is back; this page is live again."); refreshBar(); });
document.body.addEventListener("toast", (event) => toast(event.detail.text, event.detail.kind, event.detail.undo));
document.body.addEventListener("changed", refreshBar);
document.body.addEventListener("change", (event) => {
  if (event.target.id !== "project") return;
  const to = `${location.pathname}?project=${encodeURIComponent(event.target.value)}`;
  history.pushState({ htmx: true }, "", to);
  look();
  live.restart();
});
document.body.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => toast("Copied."), () => toast(copy.dataset.copy));
  if (event.target.closest("[data-sign-out]")) fetch("/page/sign-out", { method: "POST", headers: { Authorization: header() } }).finally(() => signedOut("You signed out here; other browsers stay as they are."));
  const opens = event.target.closest("[data-open]");
  if (opens) keyboard.sheet();
});
// What cannot be taken back asks first, in words of ours; the answer is asked by a dialog that the keyboard can use.
document.body.addEventListener("htmx:confirm", (event) => {
  if (!event.detail.question) return;
  event.preventDefault();
  const dialog = document.getElementById("ask");
  document.getElementById("ask-words").textContent = event.detail.question;
  document.getElementById("ask-yes").textContent = event.target.dataset.yes || "Do it";
  dialog.onclose = () => { if (dialog.returnValue === "yes") event.detail.issueRequest(true); };
  dialog.returnValue = "no";
  dialog.showModal();
});
keyboard.start(look);
setInterval(() => { if (!document.hidden) times(document.body); }, 30000);

async function begin() {
  await signIn();
  place();
  document.querySelector("[data-sign-out]").hidden = !store.key;
  if (store.key) { look(); refreshBar(); live.start(); } else if (!document.querySelector("[data-why]")) signedOut("");
}
window.addEventListener("hashchange", () => { if (location.hash.startsWith("#link=")) begin(); });
begin();
