// The live state: one stream for each tab, with the key in a header. It pauses in the background, and comes back with a
// pause that grows and varies, so that many tabs do not return at once. After a gap it says `back`, and that everything
// may have changed; `gone` is said once, when the first try to come back has failed.
export function startLive(header, project, tell) {
  let stop = null;
  let tries = 0;
  let wanted = false;
  let timer = 0;
  let isOn = false;
  let isGone = false;
  let hasGap = false; // something may have happened that no stream told
  const show = () => { const one = document.getElementById("live"); if (one) { one.dataset.state = isOn ? "on" : "off"; one.querySelector(".words").textContent = isOn ? "live" : "not live"; } };
  const state = (on) => { isOn = on; show(); };

  async function run() {
    if (!wanted || document.hidden || stop) return;
    const control = new AbortController();
    stop = () => control.abort();
    let refused = false;
    try {
      const answer = await fetch(`/page/live${project() ? `?project=${encodeURIComponent(project())}` : ""}`, { headers: { Authorization: header() }, signal: control.signal });
      refused = answer.status === 401 || answer.status === 404;
      if (!answer.ok) throw new Error(String(answer.status));
      tries = 0;
      state(true);
      if (isGone) tell("back");
      if (hasGap) { tell("ledger"); tell("vault"); }
      isGone = false;
      hasGap = true;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        state(true);
        rest += value;
        const parts = rest.split("\n\n");
        rest = parts.pop();
        for (const part of parts) if (part.startsWith("event: ")) tell(part.slice(7).split("\n")[0]);
      }
    } catch { /* below */ }
    stop = null;
    state(false);
    if (refused) wanted = false;
    if (wanted && !document.hidden && !isGone && tries > 1) { isGone = true; tell("gone"); }
    if (wanted && !document.hidden) { clearTimeout(timer); timer = setTimeout(run, Math.min(30000, 500 * 2 ** tries++) * (0.5 + Math.random())); }
  }
  document.addEventListener("visibilitychange", () => { if (document.hidden) stop?.(); else run(); });
  return {
    show, // the bar was made anew
    start() { wanted = true; run(); },
    stop() { wanted = false; stop?.(); },
    restart() { stop?.(); wanted = true; clearTimeout(timer); timer = setTimeout(run, 50); },
  };
}
