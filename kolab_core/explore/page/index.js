"use strict";

function kolabIndex(head, sessions) {
  const make = Kolab.make;
  const byId = (id) => document.getElementById(id);
  byId("head").textContent =
    `Release ${head.version}: ${sessions.length} session${sessions.length === 1 ? "" : "s"}`;
  if (head.missing.length) {
    byId("missing").textContent = `Not there: ${head.missing.join(", ")}`;
  }
  const heads = ["Session", "Occupation", "Goal", "Length", "Steps", "Nodes", "Responses", "Chat", "Recording"];
  const most = Math.max(1, ...sessions.map((s) => s.labels.reduce((a, b) => a + b, 0)));
  const body = make("tbody", {});
  byId("sessions").append(
    make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
    body,
  );
  const rows = sessions.map((session) => {
    const words = [session.id, session.occupation, session.sector, session.goal];
    const row = make(
      "tr",
      {},
      make("th", { scope: "row" }, make("a", { href: `sessions/${encodeURIComponent(session.id)}/index.html` }, session.id)),
      make("td", {}, make("span", { dir: "auto" }, session.occupation), make("small", { dir: "auto" }, session.sector)),
      make("td", { class: "goal", dir: "auto" }, shorten(session.goal, 160)),
      make("td", { class: "number" }, Kolab.clockText(session.length)),
      make("td", { class: "number" }, String(session.steps)),
      make("td", { class: "number" }, String(session.nodes)),
      make("td", {}, labelBar(session.labels, most)),
      make("td", { class: "number" }, session.turns ? `${session.turns} turns` : "none"),
      make("td", {}, session.hasRecording ? "yes" : "none"),
    );
    body.append(row);
    return { row, text: words.join("\n").toLowerCase() };
  });
  function show() {
    const wanted = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, text } of rows) {
      row.hidden = !wanted.every((word) => text.includes(word));
      count += row.hidden ? 0 : 1;
    }
    byId("found").textContent = wanted.length ? `${count} of ${rows.length}` : "";
  }
  byId("find").addEventListener("input", show);

  function labelBar(counts, largest) {
    const bar = make("span", { class: "labelbar", title: Kolab.LABELS.map((name, i) => `${counts[i]} ${name}`).join(", ") });
    counts.forEach((count, index) => {
      const part = make("span", { class: `part ${Kolab.LABELS[index]}` }, count ? String(count) : "");
      part.style.width = `${(100 * count) / largest}%`;
      if (count) bar.append(part);
    });
    return bar;
  }

  function shorten(text, length) {
    const letters = Array.from(text);
    return letters.length > length ? letters.slice(0, length).join("") + "…" : text;
  }
}
