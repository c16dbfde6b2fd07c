// What stands beside the recording: the chat, the step and the item that is selected.
"use strict";

Kolab.makeTimeButton = function (state, time, text) {
  const button = Kolab.make("button", { type: "button", class: "time" }, text || Kolab.clockText(time, true));
  button.addEventListener("click", () => state.jump(time));
  return button;
};

Kolab.makeHidden = (text) => Kolab.make("p", { class: "unreadable" }, text || "hidden");

Kolab.makeChat = function (panel, data, state) {
  const { make, makeText } = Kolab;
  const items = [];
  let current = -1;
  let touched = -Infinity;
  for (const kind of ["wheel", "pointerdown", "touchmove"]) {
    panel.addEventListener(kind, () => (touched = performance.now()), { passive: true });
  }

  function draw() {
    items.length = 0;
    current = -1;
    panel.replaceChildren();
    if (!data.chat.length) {
      panel.append(make("p", { class: "none" }, data.hasChatLog ? "The chat's log is empty." : "No chat was kept of this session."));
    }
    data.chat.forEach((turn, index) => {
      const isShown = state.showsTurn(index);
      const who = turn.role === "human" ? "Person" : turn.agent || "AI";
      const time = turn.start === null ? make("span", { class: "time" }, "no time") : Kolab.makeTimeButton(state, turn.start);
      const item = make("article", { class: `turn ${turn.role} ${isShown ? "" : "hidden"}` }, make("header", {}, make("strong", { dir: "auto" }, isShown ? who : "…"), time));
      if (isShown) fill(item, turn);
      else item.append(Kolab.makeHidden());
      items.push(item);
      panel.append(item);
    });
    follow(state.clock.now);
  }

  function fill(item, turn) {
    item.append(makeText(turn.content || ""));
    for (const [name, input, output] of turn.tools || []) {
      const details = make("details", {}, make("summary", { dir: "auto" }, `Tool: ${name}`));
      details.append(make("h4", {}, "Input"), makeText(input || "", "code"), make("h4", {}, "Output"), makeText(output || "", "code"));
      item.append(details);
    }
    if (turn.attachments && !state.isHiding()) {
      item.append(make("p", { class: "files" }, "Attached: ", turn.attachments.join(", ")));
    }
  }

  function follow(now) {
    let latest = -1;
    data.chat.forEach((turn, index) => {
      if (turn.start !== null && turn.start <= now) latest = index;
    });
    if (latest === current) return;
    if (current >= 0) items[current].classList.remove("current");
    current = latest;
    if (current < 0) return;
    items[current].classList.add("current");
    if (performance.now() - touched > 4000 && !panel.hidden) {
      panel.scrollTop = items[current].offsetTop - panel.offsetTop - 40;
    }
  }

  return { draw, follow };
};

Kolab.makeStep = function (panel, data, state) {
  const { make, makeText } = Kolab;
  let drawn = null;

  function find(now) {
    let found = -1;
    data.segments.forEach((segment, index) => {
      const isIn = segment.start <= now && now < segment.end;
      if (isIn && (found < 0 || segment.start >= data.segments[found].start)) found = index;
    });
    return found;
  }

  function follow(now) {
    const index = find(now);
    if (index !== drawn) draw(index);
  }

  function draw(index) {
    drawn = index === undefined ? find(state.clock.now) : index;
    panel.replaceChildren(makeList());
    const segment = data.segments[drawn];
    if (!segment) {
      panel.append(make("p", { class: "none" }, "No step at this time."));
      return;
    }
    if (!state.showsSegment(drawn)) {
      panel.append(Kolab.makeHidden());
      return;
    }
    const step = data.steps.find((one) => one.number === segment.step);
    panel.append(make("h2", { dir: "auto" }, `${segment.badge} · ${segment.name}`));
    panel.append(make("p", {}, Kolab.makeTimeButton(state, segment.start), " to ", Kolab.makeTimeButton(state, segment.end)));
    if (state.isHiding()) {
      panel.append(Kolab.makeHidden("Plan, rubric and ratings: hidden"));
      return;
    }
    if (segment.action) panel.append(makeText(segment.action));
    if (step) fill(step);
    else panel.append(make("p", { class: "none" }, "Outside the plan: never rated."));
  }

  function fill(step) {
    const terms = make("dl", {});
    const add = (name, value) => value && terms.append(make("dt", {}, name), make("dd", {}, makeText(value)));
    add("Planned", step.name);
    add("Action", step.action);
    add("Input", step.input);
    add("Output", step.output);
    add("Software", step.softwares.join(", "));
    panel.append(terms);
    const quality = step.output_quality;
    const together = step.collaboration;
    panel.append(make("h3", {}, "Output quality"), Kolab.makeRating(quality.rating));
    if (quality.reason) panel.append(makeText(quality.reason));
    if (step.rubric.length) {
      const list = make("ol", { class: "rubric" });
      step.rubric.forEach((text, number) => {
        const isMet = quality.rubrics_satisfied.includes(number + 1);
        list.append(make("li", { class: isMet ? "met" : "" }, make("span", { class: "tick-mark", title: isMet ? "satisfied" : "not satisfied" }, isMet ? "✓" : "–"), make("span", { dir: "auto" }, text)));
      });
      panel.append(make("h4", {}, "Rubric"), list);
    }
    panel.append(make("h3", {}, "Collaboration"), Kolab.makeRating(together.rating));
    const done = together.task_completed;
    if (done.answer) panel.append(make("p", {}, `Task completed: ${done.answer}`));
    if (done.reason) panel.append(makeText(done.reason));
    const given = Object.entries(together.statements).filter(([, value]) => value !== null);
    if (given.length) {
      panel.append(make("table", { class: "statements" }, given.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name.replaceAll("_", " ")), make("td", {}, Kolab.makeRating(value))))));
    }
  }

  function makeList() {
    const list = make("div", { class: "steplist" });
    data.segments.forEach((segment, index) => {
      const isShown = state.showsSegment(index);
      const button = make("button", { type: "button", class: index === drawn ? "current" : "", title: isShown ? segment.name : "hidden" }, isShown ? segment.badge.replace("Step-", "") : "…");
      button.addEventListener("click", () => state.pickSegment(index));
      list.append(button);
    });
    return list;
  }

  return { draw: () => draw(), follow };
};

Kolab.makeRating = function (rating) {
  const { make } = Kolab;
  if (rating === null) return make("span", { class: "none" }, "not rated");
  const dots = make("span", { class: "dots", "aria-hidden": "true" }, "●".repeat(rating), make("span", {}, "●".repeat(5 - rating)));
  return make("span", { class: "rating" }, dots, ` ${rating} of 5`);
};

Kolab.makeItem = function (panel, data, state) {
  const { make, makeText, makeTimeButton } = Kolab;

  function draw() {
    panel.replaceChildren();
    if (state.node === null) {
      panel.append(make("p", { class: "none" }, "Nothing selected: click a bar of the timeline."), ...notes());
      return;
    }
    const node = data.nodes[state.node];
    const times = node.times.filter(([start, end]) => state.shownUntil(state.node, start, end) !== null);
    if (state.isHiding() && !times.length) {
      panel.append(Kolab.makeHidden());
      return;
    }
    panel.append(make("h2", { dir: "auto" }, node.label), make("p", { class: "who", dir: "auto" }, node.actor));
    if (node.detail) panel.append(makeText(node.detail));
    if (node.softwares && !state.isHiding()) panel.append(make("p", {}, "Software: ", make("span", { dir: "auto" }, node.softwares)));
    panel.append(make("h3", {}, "When"), make("p", { class: "times" }, times.map(([start, end]) => makeTimeButton(state, start, `${Kolab.clockText(start, true)}–${Kolab.clockText(end, true)}`))));
    if (!times.length) panel.append(make("p", { class: "none" }, "It has no time."));
    if (state.showsResponses()) responses();
    edges();
  }

  function responses() {
    const found = data.responses.filter(({ source, target, act }) => [source && source[0], target[0], act[0]].includes(state.node));
    if (!found.length) return;
    panel.append(make("h3", {}, "Responses"));
    for (const response of found) {
      const list = make("ul", { class: "passage" });
      for (const [name, place] of [["request", response.source], ["AI output", response.target], ["response", response.act]]) {
        list.append(make("li", {}, `${name}: `, place ? link(place[0], place[1]) : "none"));
      }
      panel.append(make("p", { class: `label ${response.label}` }, response.label), list);
    }
  }

  function edges() {
    const found = data.edges.filter(([source, target], index) => state.showsEdge(index) && (source === state.node || target === state.node));
    if (!found.length) return;
    const list = make("ul", { class: "passage" });
    for (const [source, target, type] of found) {
      const isOut = source === state.node;
      const other = isOut ? target : source;
      const times = data.nodes[other].times;
      list.append(make("li", {}, `${isOut ? "to" : "from"}${type === "loop" ? " (loop)" : ""}: `, link(other, times.length ? times[0][0] : null)));
    }
    panel.append(make("h3", {}, "Edges"), list);
  }

  function link(index, time) {
    const button = make("button", { type: "button", class: "link", dir: "auto" }, data.nodes[index].label);
    button.addEventListener("click", () => state.pickNode(index, time));
    return button;
  }

  function notes() {
    if (state.isHiding()) return [];
    const found = [];
    if (data.context) found.push(make("h3", {}, "Context"), makeText(data.context));
    if (data.achieved.answer) found.push(make("h3", {}, `Goal achieved: ${data.achieved.answer}`));
    if (data.achieved.reason) found.push(makeText(data.achieved.reason));
    if (data.files.length) {
      found.push(make("h3", {}, "Files"), make("ul", {}, data.files.map((file) => make("li", { dir: "auto" }, `${file.path} (${file.size.toLocaleString("en")} bytes)`))));
    }
    if (data.notes.length) {
      found.push(make("h3", {}, "Notes on its files"), make("ul", {}, data.notes.map((note) => make("li", { dir: "auto" }, note))));
    }
    return found;
  }

  return { draw };
};
