// A session's page put together: its state, what is shown of it, keys and addresses.
"use strict";

(function () {
  const { make, clockText } = Kolab;
  const data = Kolab.session;
  const byId = (id) => document.getElementById(id);
  const clock = Kolab.makeClock(byId("video"), data.recording, data.length);
  const state = { clock, node: null, question: null, isRevealed: false, shown: null };

  // Whether a row is open that hides what a model is not shown.
  state.isHiding = () => state.question !== null && !state.isRevealed;
  state.showsResponses = () => !state.isHiding();
  state.showsSegment = (index) => !state.isHiding() || state.shown.segments.has(index);
  state.showsTurn = (index) => !state.isHiding() || state.shown.turns.has(index);
  state.showsEdge = (index) => !state.isHiding() || state.shown.edges.has(index);
  state.showsTime = (time) => !state.isHiding() || state.question.window.some(([start, end]) => start <= time && time < end);
  state.isTarget = (node, start) => state.question !== null && Boolean(state.question.target) && state.question.target[0] === node && state.question.target[1] === start;

  // Until when an occurrence is shown; null if it is not.
  state.shownUntil = function (node, start, end) {
    if (!state.isHiding()) return end;
    const kept = state.shown.nodes.get(node) || [];
    const found = kept.find((part) => part[0] === start);
    return found ? Math.min(end, Math.max(found[1], found[0])) : null;
  };

  state.jump = function (time) {
    clock.seek(time);
    timeline.show(clock.now);
  };

  state.pickNode = function (node, time) {
    state.node = node;
    item.draw();
    openTab("item");
    if (time !== null) state.jump(time);
    timeline.draw();
  };

  state.pickSegment = function (index) {
    openTab("step");
    state.jump(data.segments[index].start);
  };

  state.pickTurn = function (index) {
    openTab("chat");
    state.jump(data.chat[index].start);
  };

  state.openQuestion = function (question) {
    state.question = question;
    state.isRevealed = false;
    state.node = null;
    if (question) {
      state.shown = {
        segments: new Set(question.segments),
        turns: new Set(question.turns),
        edges: new Set(question.edges),
        nodes: new Map(question.nodes.map(([node, ...times]) => [node, pairs(times)])),
      };
      clock.pause();
      const [start] = question.window[0];
      const cut = question.window[question.window.length - 1][1];
      timeline.fit(start, cut);
      clock.seek(start);
    }
    const words = new URLSearchParams(question ? { config: question.config, row: question.id } : {});
    history.replaceState(null, "", question ? `#${words}` : location.pathname + location.search);
    drawAll();
    openTab("rows");
  };

  state.reveal = function (isRevealed) {
    state.isRevealed = isRevealed;
    drawAll();
  };

  const pairs = (times) => times.filter((_, i) => i % 2 === 0).map((start, i) => [start, times[2 * i + 1]]);

  const chat = Kolab.makeChat(byId("panel-chat"), data, state);
  const step = Kolab.makeStep(byId("panel-step"), data, state);
  const item = Kolab.makeItem(byId("panel-item"), data, state);
  const rows = Kolab.makeRows(byId("panel-rows"), data, state);
  const timeline = Kolab.makeTimeline(byId("timeline"), data, state);
  const tabs = { chat: "Chat", step: "Step", item: "Item", rows: "Rows" };
  const readout = make("output", { id: "now" });

  function openTab(name) {
    for (const key of Object.keys(tabs)) {
      byId(`panel-${key}`).hidden = key !== name;
      byId(`tab-${key}`).setAttribute("aria-selected", String(key === name));
    }
    if (name === "chat") chat.follow(clock.now);
  }

  function drawAll() {
    document.body.classList.toggle("row-open", state.isHiding());
    drawHead();
    chat.draw();
    step.draw();
    item.draw();
    rows.draw();
    timeline.draw();
    follow();
  }

  function drawHead() {
    byId("name").textContent = `${data.id} · ${data.occupation}`;
    byId("goal").textContent = data.goal;
  }

  let wasIn = false;
  function follow() {
    const isShown = state.showsTime(clock.now);
    if (state.isHiding() && clock.isPlaying && wasIn && !isShown) passEnd();
    wasIn = state.showsTime(clock.now);
    readout.textContent = `${clockText(clock.now, true)} / ${clockText(clock.length)}`;
    byId("play").textContent = clock.isPlaying ? "Pause" : "Play";
    if (clock.isPlaying) timeline.show(clock.now);
    timeline.placeHead();
    chat.follow(clock.now);
    step.follow(clock.now);
    drawScreen(wasIn);
  }

  // At the end of an interval: on to the next one, or a stop at the cut.
  function passEnd() {
    const next = state.question.window.find(([start]) => start >= clock.now);
    if (next) {
      clock.seek(next[0]);
      return;
    }
    const cut = state.question.window[state.question.window.length - 1][1];
    clock.pause();
    clock.seek(Math.max(0, cut - 1));
  }

  // The recording, a picture in its place, or why there is neither.
  function drawScreen(isShown) {
    const isBehind = clock.canPlay && clock.now >= clock.end;
    const still = clock.canPlay && !isBehind ? null : findStill();
    byId("video").classList.toggle("covered", !isShown || !clock.canPlay);
    byId("still").hidden = !isShown || clock.canPlay || !still;
    if (!byId("still").hidden && byId("still").dataset.name !== still) {
      byId("still").dataset.name = still;
      byId("still").src = `thumbs/${still}`;
    }
    let text = "";
    if (!isShown) text = "Outside what the model is shown";
    else if (isBehind && clock.end < clock.length) text = `The recording ends at ${clockText(clock.end, true)}`;
    else if (!clock.canPlay && clock.trouble && !still) text = clock.trouble;
    byId("veil").textContent = text;
    byId("veil").hidden = !text;
    byId("veil").classList.toggle("opaque", !isShown);
    const trouble = clock.trouble && still ? `${clock.trouble} Its keyframes stand in as pictures.` : "";
    byId("trouble").textContent = trouble;
    byId("trouble").hidden = !trouble;
  }

  function findStill() {
    let found = null;
    for (const [time, name] of data.thumbs) if (time <= clock.now || found === null) found = name;
    return found;
  }

  function addControls() {
    const button = (text, title, act, id) => {
      const element = make("button", { type: "button", title, id }, text);
      element.addEventListener("click", act);
      return element;
    };
    const rate = make("select", { "aria-label": "Speed" }, [0.5, 1, 2, 4, 8].map((value) => make("option", { value, selected: value === 1 }, `${value}×`)));
    rate.addEventListener("change", () => clock.setRate(Number(rate.value)));
    byId("controls").append(
      button("Play", "Space", clock.toggle, "play"),
      button("−10 s", "j", () => state.jump(clock.now - 10000)),
      button("+10 s", "l", () => state.jump(clock.now + 10000)),
      readout,
      rate,
      make("span", { class: "space" }),
      button("−", "Zoom out (-)", () => timeline.zoom(2), "zoom-out"),
      button("+", "Zoom in (+)", () => timeline.zoom(0.5), "zoom-in"),
      button("Fit", "The whole session (0)", () => timeline.fit(), "zoom-fit"),
    );
    byId("legend").append(
      ...Kolab.LABELS.map((label) => make("li", { class: `label ${label}` }, label)),
      make("li", { class: "keys" }, "Space: play · ← →: 5 s (with Shift 1 s) · j, l: 10 s · + − 0: zoom · Esc: close the row"),
    );
    for (const [name, text] of Object.entries(tabs)) {
      const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, text);
      tab.addEventListener("click", () => openTab(name));
      byId("tabs").append(tab);
    }
  }

  const keys = {
    " ": () => clock.toggle(),
    k: () => clock.toggle(),
    j: () => state.jump(clock.now - 10000),
    l: () => state.jump(clock.now + 10000),
    ArrowLeft: (event) => state.jump(clock.now - (event.shiftKey ? 1000 : 5000)),
    ArrowRight: (event) => state.jump(clock.now + (event.shiftKey ? 1000 : 5000)),
    Home: () => state.jump(0),
    End: () => state.jump(clock.length),
    "+": () => timeline.zoom(0.5),
    "=": () => timeline.zoom(0.5),
    "-": () => timeline.zoom(2),
    0: () => timeline.fit(),
    Escape: () => (state.question ? state.openQuestion(null) : clearItem()),
  };

  function clearItem() {
    state.node = null;
    item.draw();
    timeline.draw();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("prompt").open) return;
    const isOwn = event.target.closest("input, select, textarea, summary, button");
    if (isOwn && (event.key === " " || event.target.matches("input, select, textarea"))) return;
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act(event);
  });

  // `#t=62.5`, `#node=seg0a/n1`, `#config=…&row=…`
  function readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const row = words.get("row");
    const node = data.nodes.findIndex((one) => one.id === words.get("node"));
    if (row !== null) {
      const found = data.questions.find((one) => one.id === row && (!words.get("config") || one.config === words.get("config")));
      if (found) state.openQuestion(found);
    }
    if (node >= 0) state.pickNode(node, data.nodes[node].times.length ? data.nodes[node].times[0][0] : null);
    if (words.has("t")) state.jump(Number(words.get("t")) * 1000 || 0);
  }

  addControls();
  clock.listen(follow);
  openTab("chat");
  drawAll();
  readAddress();
  window.addEventListener("hashchange", readAddress);
  byId("video").addEventListener("click", clock.toggle);
  Kolab.state = state;
  Kolab.timeline = timeline;
})();
