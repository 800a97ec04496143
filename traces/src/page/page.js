"use strict";
// An error is told to whoever looks after the page, and to the test.
addEventListener("error", (e) => { document.documentElement.dataset.error = e.message; });

(() => {
  const trace = JSON.parse(document.getElementById("trace").textContent);
  const { tasks, steps, words, locks, holds, edges, excerpts, clash, blocked, verdict, release } = trace;
  const $ = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const chart = $("chart"), now = $("now"), scrub = $("scrub"), where = $("where");
  const rows = all("#body .step"), listed = all("#listing tbody tr"), arrows = all("#body path.edge");
  let at = -1;

  /** An element with text or children; never with markup. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const tint = (task) => `t${task % 8}`;
  const name = (task) => tasks[task] ?? `task ${task}`;
  const isSwitch = (n) => n === 0 || steps[n].task !== steps[n - 1].task;

  /** Text of a word after step `n`. */
  function value(word, n) {
    let text = word.initial;
    for (const [step, changed] of word.changes) {
      if (step > n) break;
      text = changed;
    }
    return text;
  }

  function lookedUp(f) {
    if (!release || !/^[A-Za-z_]\w*$/.test(f)) return `${f}()`;
    const href = `https://elixir.bootlin.com/linux/${release}/A/ident/${f}`;
    return make("a", { href, title: `${f}() in Linux ${release}`, rel: "noreferrer" }, `${f}()`);
  }

  function stack(step) {
    const items = step.stack.map((f, depth) =>
      make("li", { style: `padding-left:${depth * 10}px` }, lookedUp(f)));
    return make("ol", { class: "stack" }, ...items);
  }

  function place(step) {
    const link = step.url ? make("a", { href: step.url }, step.site) : step.site;
    const parts = [make("p", { class: "site" }, link)];
    const found = excerpts[step.site];
    if (found) {
      const line = Number(step.site.slice(step.site.lastIndexOf(":") + 1));
      parts.push(make("pre", { class: "excerpt" }, ...found.lines.map((text, i) =>
        make("span", found.first + i === line ? { class: "here" } : {},
          make("i", {}, String(found.first + i)), text || "\u00a0"))));
    }
    return parts;
  }

  function jump(n, text) {
    const button = make("button", { type: "button", class: "jump" }, text);
    button.addEventListener("click", () => go(n));
    return button;
  }

  function ordering(n) {
    const into = edges.filter((e) => e.to === n).map((e) =>
      make("li", {}, jump(e.from, `after step ${e.from + 1} of ${name(steps[e.from].task)}`), ` by ${e.word}`));
    const out = edges.filter((e) => e.from === n).map((e) =>
      make("li", {}, jump(e.to, `before step ${e.to + 1} of ${name(steps[e.to].task)}`), ` by ${e.word}`));
    if (!into.length && !out.length) return [];
    return [make("h3", {}, "Ordered"), make("ul", { class: "edges" }, ...into, ...out)];
  }

  /** Its name where the object has been said. */
  function short(word) {
    const said = ["->", " "].map((joint) => word.object + joint).find((said) => word.name.startsWith(said));
    return word.object && said ? word.name.slice(said.length) : word.name;
  }
  const changes = (word, n) => word.changes.some(([step]) => step === n);

  /** What the step has changed, as the TLA+ tools show it. */
  function changed(n) {
    const rows = words.filter((word) => !word.lock && changes(word, n)).map((word) =>
      make("tr", { class: "changed" },
        make("td", {}, word.name), make("td", {}, `${value(word, n - 1)} \u2192 ${value(word, n)}`)));
    words.filter((word) => word.freed === n).slice(0, 1).forEach((word) =>
      rows.push(make("tr", { class: "changed" }, make("td", {}, word.object), make("td", {}, "freed"))));
    return rows.length ? [make("table", { class: "words changes" }, ...rows)] : [];
  }

  function state(n) {
    const table = make("table", { class: "words" });
    let object = null;
    for (const word of words) {
      if (word.lock) continue;
      if (word.object !== object) {
        object = word.object;
        table.append(make("tr", {}, make("th", { colspan: 2, scope: "rowgroup" }, object || "global")));
      }
      const kind = word.freed !== null && word.freed <= n ? "gone"
        : changes(word, n) ? "changed" : word.reads.includes(n) ? "looked" : "";
      table.append(make("tr", { class: kind }, make("td", {}, short(word)), make("td", {}, value(word, n))));
    }
    return [make("h3", {}, "State after this step"), table];
  }

  function held(n) {
    const current = holds.filter((h) => h.from <= n && (h.until === null || h.until > n));
    if (!current.length) return [];
    const verb = { read: "holds, reading,", write: "holds", waits: "waits for" };
    const items = current.map((h) => make("li", {},
      make("span", { class: `who ${tint(h.task)}` }, name(h.task)), ` ${verb[h.mode]} `, make("code", {}, locks[h.lock])));
    return [make("h3", {}, "Locks"), make("ul", { class: "edges" }, ...items)];
  }

  /** What the step has to do with the broken rule. */
  function breaks(n) {
    const parts = [];
    const say = (...text) => parts.push(make("p", { class: "breaks" }, ...text));
    if (clash && clash.second === n) {
      say(verdict);
      if (clash.first !== null && !clash.ordered) {
        say("No order between this and ", jump(clash.first, `step ${clash.first + 1}`), ".");
      };
    }
    if (clash && clash.first === n) say("Clashes with ", jump(clash.second, `step ${clash.second + 1}`), ".");
    for (const { first, second } of blocked) {
      if (second === n) say(`Waits for ever: ${name(steps[first].task)} took it at `, jump(first, `step ${first + 1}`), ".");
      if (first === n) say(`Never given up: ${name(steps[second].task)} waits at `, jump(second, `step ${second + 1}`), ".");
    }
    return parts;
  }

  function show(n) {
    const step = steps[n];
    const parts = [
      make("h2", { class: tint(step.task) }, `Step ${n + 1} of ${steps.length}: `, make("b", {}, name(step.task))),
      make("p", { class: "does" }, step.text),
      make("p", { class: "remark" }, step.remark ? `# ${step.remark}` : ""),
      ...changed(n),
    ];
    parts.push(...breaks(n));
    if (step.stack.length) parts.push(make("h3", {}, "In"), stack(step));
    parts.push(...place(step), ...ordering(n), ...held(n), ...state(n));
    now.replaceChildren(...parts);
  }

  /** Bring the step into view, below the names. */
  function reveal(n) {
    const head = chart.querySelector(".head").offsetHeight;
    const { top, y } = steps[n];
    const room = chart.clientHeight - head;
    if (top - 20 < chart.scrollTop) chart.scrollTop = Math.max(0, top - 60);
    else if (y + 50 > chart.scrollTop + room) chart.scrollTop = y + 90 - room;
    listed[n]?.scrollIntoView({ block: "nearest" });
  }

  function go(n) {
    if (!steps.length) return;
    n = Math.max(0, Math.min(steps.length - 1, n));
    if (n === at) return;
    for (const list of [rows, listed]) {
      list[at]?.classList.remove("current");
      list[n]?.classList.add("current");
    }
    at = n;
    $("cursor").setAttribute("transform", `translate(0 ${steps[n].y})`);
    arrows.forEach((arrow, i) => arrow.classList.toggle("lit", edges[i].from === n || edges[i].to === n));
    scrub.value = n + 1;
    where.textContent = `${n + 1} / ${steps.length}`;
    for (const way of ["first", "back", "switch-back"]) button(way).disabled = n === 0;
    for (const way of ["last", "next", "switch"]) button(way).disabled = n === steps.length - 1;
    show(n);
    reveal(n);
    history.replaceState(null, "", `#${n + 1}`);
  }

  const button = (way) => document.querySelector(`[data-go="${way}"]`);

  const ways = {
    first: () => 0,
    last: () => steps.length - 1,
    back: () => at - 1,
    next: () => at + 1,
    switch: () => {
      let n = at + 1;
      while (n < steps.length && !isSwitch(n)) n++;
      return n;
    },
    "switch-back": () => {
      let n = at - 1;
      while (n > 0 && !isSwitch(n)) n--;
      return n;
    },
    clash: () => {
      const marked = steps.flatMap((s, n) => (s.mark ? [n] : []));
      return marked.find((n) => n > at) ?? marked[0] ?? at;
    },
  };
  const keys = {
    ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back",
    Home: "first", End: "last", PageDown: "switch", PageUp: "switch-back", x: "clash",
  };

  document.addEventListener("keydown", (e) => {
    const way = keys[e.key];
    if (!way || e.ctrlKey || e.altKey || e.metaKey || e.target === scrub) return;
    e.preventDefault();
    go(ways[way]());
  });
  document.addEventListener("click", (e) => {
    const way = e.target.closest("[data-go]"), step = e.target.closest("[data-step]"), view = e.target.closest("[data-view]");
    if (way) go(ways[way.dataset.go]());
    else if (step) go(Number(step.dataset.step));
    else if (view && view.matches("button")) look(view.dataset.view);
  });
  scrub.addEventListener("input", () => go(Number(scrub.value) - 1));
  addEventListener("hashchange", () => go(Number(location.hash.slice(1)) - 1));

  function look(view) {
    document.body.dataset.view = view;
    for (const b of all("button[data-view]")) b.setAttribute("aria-pressed", b.dataset.view === view);
    if (at >= 0) reveal(at);
  }

  const asked = location.hash;
  look(asked === "#table" ? "table" : "chart");
  go((Number(asked.slice(1)) || 1) - 1);
  // For the test: through all steps by the keys that a reader would use.
  if (asked === "#walk") {
    go(0);
    let walked = 1;
    for (; at < steps.length - 1; walked++) document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    document.documentElement.dataset.walked = walked;
    go(0);
  }
})();
