// What a page of another port tries. The test defines these in its window and calls them; each tells what came of it.
const said = async (got) => [got.type, (await got.text()).length];
const refused = () => ["refused", 0];

// A change by fetch: simple and preflighted, with and without what the browser knows of us, and by a beacon.
window.sends = async ({ url, key }) => {
  const found = [];
  const form = new URLSearchParams({ link: "x", everywhere: "true" });
  const bodies = [form, "{}", new Blob(["{}"], { type: "application/json" }), new FormData()];
  for (const mode of ["no-cors", "cors"])
    for (const credentials of ["include", "omit"])
      for (const body of bodies) found.push(await fetch(url, { method: "POST", mode, credentials, body }).then(said).catch(refused));
  const keys = [`Holdfast-Page ${key}`, `Bearer ${key}`].map((one) => ({ Authorization: one }));
  for (const headers of [...keys, { "HX-Request": "true" }, { "Content-Type": "application/json" }])
    found.push(await fetch(url, { method: "POST", headers, body: "{}" }).then(said).catch(refused));
  navigator.sendBeacon(url, form);
  return found;
};

// A change by a form of each kind, sent into a frame.
window.posts = ({ url, kinds }) => Promise.all(kinds.map((enctype) => new Promise((done) => {
  const into = Object.assign(document.createElement("iframe"), { name: `f${Math.random()}` });
  const form = Object.assign(document.createElement("form"), { action: url, method: "post", target: into.name, enctype });
  form.append(Object.assign(document.createElement("input"), { name: "everywhere", value: "true" }));
  document.body.append(into, form);
  setTimeout(() => { into.onload = () => done(); form.submit(); }, 50);
  setTimeout(done, 5000);
})));

// Everything that loads something from an address: what could be read of it, "" for nothing.
window.reads = async ({ url, key }) => {
  const tried = {};
  const by = (begin, patience = 3000) => new Promise((done) => { begin(done); setTimeout(() => done(""), patience); });
  const read = async (name, work) => { try { tried[name] = await work(); } catch { tried[name] = ""; } };
  const text = async (options) => (await fetch(url, { signal: AbortSignal.timeout(3000), ...options })).text();
  const loads = (tag, name, more) => by((done) => {
    const one = Object.assign(document.createElement(tag), more);
    one.onload = one.onloadeddata = () => done("loaded");
    one.onerror = () => done("");
    one[name] = url;
    document.body.append(one);
  });
  await read("fetch", () => text({}));
  await read("fetch with credentials", () => text({ credentials: "include" }));
  await read("fetch without leave", () => text({ mode: "no-cors" }));
  await read("fetch with the key", () => text({ headers: { Authorization: `Holdfast-Page ${key}` } }));
  await read("fetch as htmx", () => text({ headers: { "HX-Request": "true" } }));
  await read("import", async () => JSON.stringify(Object.keys(await import(url))));
  await read("worker", () => by((done) => { const one = new Worker(url); one.onerror = () => done(""); one.onmessage = () => done("read"); }, 500));
  await read("stream", () => by((done) => { const one = new EventSource(url); one.onopen = () => done("open"); one.onerror = () => { one.close(); done(""); }; }));
  await read("script", () => loads("script", "src", {}));
  await read("img", () => loads("img", "src", {}));
  await read("link", () => loads("link", "href", { rel: "stylesheet" }));
  await read("video", () => loads("video", "src", {}));
  await read("frame", () => by((done) => {
    const one = Object.assign(document.createElement("iframe"), { src: url });
    one.onload = () => { try { done(one.contentDocument?.documentElement.outerHTML || ""); } catch { done(""); } };
    document.body.append(one);
  }));
  await read("window", () => by((done) => {
    const one = window.open(url);
    addEventListener("message", (event) => done(String(event.data)));
    const look = setInterval(() => {
      try { one.postMessage("tell", "*"); if (one.document.body.innerText) done(one.document.body.innerText); } catch { /* not ours to read */ }
    }, 100);
    setTimeout(() => { clearInterval(look); one?.close(); }, 900);
  }, 1000));
  return tried;
};

// From our own page, at a moment that others were told too.
window.uses = ({ link, at }) => {
  window.got = null;
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ link }) };
  setTimeout(async () => {
    const answer = await fetch("/page/sign-in", request);
    window.got = [answer.status, (await answer.json()).key || ""];
  }, Math.max(0, at - Date.now()));
};
window.asks = ({ paths, key }) => Promise.all(paths.flatMap((path) => ["GET", "POST"].map(async (method) => {
  const answer = await fetch(path, { method, headers: { Authorization: `Holdfast-Page ${key}` } });
  return [answer.status, (await answer.json()).error];
})));
window.signsOut = async (key) => {
  const answer = await fetch("/page/sign-out?everywhere=true", { method: "POST", headers: { Authorization: `Holdfast-Page ${key}` } });
  return answer.status;
};
window.leaves = (href) => {
  const link = Object.assign(document.createElement("a"), { href });
  document.body.append(link);
  link.click();
};

// The last word is no function: whoever evaluates this would call it.
null;
