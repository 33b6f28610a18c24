(function (root) {
  "use strict";
  if (!root || root.classList.contains("sg-live")) { return; }
  root.classList.add("sg-live");
  const rows = Array.from(root.querySelectorAll("tr[data-k]"));
  const keys = new Map(rows.map(row => [row, row.dataset.k.split(" ")]));
  const byKey = new Map();
  rows.forEach(row => keys.get(row).forEach(key => byKey.set(key, (byKey.get(key) || []).concat([row]))));
  const status = root.querySelector('[role="status"]');
  const side = row => row.closest("[data-side]");
  const pane = row => row.closest("table");
  const link = row => row.querySelector("th a");
  const linked = table => rows.filter(row => pane(row) === table && link(row));
  let pinned = null;

  // The rows that a row belongs to: those of its first user's line, and the calls around that line.
  function related(row) {
    const own = keys.get(row);
    const found = new Set(byKey.get(own[0]));
    own.forEach(key => byKey.get(key).filter(other => side(other).dataset.side === "user").forEach(other => found.add(other)));
    return Array.from(found);
  }
  function counterparts(row) {
    return related(row).filter(other => side(other).dataset.side !== side(row).dataset.side && link(other));
  }
  function show(row) {
    rows.forEach(other => other.classList.remove("sg-on"));
    if (row) { related(row).concat([row]).forEach(other => other.classList.add("sg-on")); }
  }
  function rest() {
    const focused = root.contains(document.activeElement) && document.activeElement.closest("tr[data-k]");
    show(focused || pinned);
  }
  function pin(row) {
    rows.forEach(other => { other.classList.remove("sg-pin"); if (link(other)) { link(other).removeAttribute("aria-current"); } });
    pinned = row;
    if (!row) { status.textContent = ""; show(null); return; }
    row.classList.add("sg-pin");
    if (link(row)) { link(row).setAttribute("aria-current", "true"); }
    show(row);
    const others = counterparts(row);
    status.textContent = "Line " + row.querySelector("th").textContent.trim() + " belongs to " + others.length +
      (side(row).dataset.side === "user" ? " generated line" : " line of your code").replace(/(line)(?=$| )/, others.length === 1 ? "$1" : "$1s");
  }
  function reveal(row) {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    row.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  }
  function focus(row) {
    linked(pane(row)).forEach(other => { link(other).tabIndex = other === row ? 0 : -1; });
    link(row).focus({ preventScroll: true });
    reveal(row);
  }

  new Set(rows.map(pane)).forEach(table => linked(table).forEach((row, n) => { link(row).tabIndex = n ? -1 : 0; }));
  root.addEventListener("mouseover", event => {
    const row = event.target.closest("tr[data-k]");
    if (row) { show(row); } else { rest(); }
  });
  root.addEventListener("mouseleave", rest);
  root.addEventListener("focusin", event => {
    const row = event.target.closest("tr[data-k]");
    if (row) { show(row); }
  });
  root.addEventListener("focusout", () => show(pinned));
  root.addEventListener("click", event => {
    const row = event.target.closest("tr[data-k]");
    if (!row || (window.getSelection && String(window.getSelection()))) { return; }
    event.preventDefault();
    const again = row === pinned;
    pin(again ? null : row);
    const other = again ? null : counterparts(row)[0];
    if (other) { reveal(other); }
  });
  root.addEventListener("keydown", event => {
    const row = event.target.closest("tr[data-k]");
    if (event.key === "Escape") { pin(null); return; }
    if (!row || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) { return; }
    const table = linked(pane(row));
    const place = table.indexOf(row);
    const left = side(row).dataset.side === "user";
    let next = null;
    if (event.key === "ArrowDown") { next = table[place + 1]; }
    else if (event.key === "ArrowUp") { next = table[place - 1]; }
    else if (event.key === "Home") { next = table[0]; }
    else if (event.key === "End") { next = table[table.length - 1]; }
    else if (event.key === "ArrowRight") { next = left ? counterparts(row)[0] : null; }
    else if (event.key === "ArrowLeft") { next = left ? null : counterparts(row)[0]; }
    else if (event.key === " ") { pin(row === pinned ? null : row); }
    else if (event.key === "Enter") { pin(row); next = counterparts(row)[0]; }
    else { return; }
    event.preventDefault();
    event.stopPropagation();
    if (next) { focus(next); }
  });
})
