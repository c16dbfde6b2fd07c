// The timeline: place is time. What lies outside the view is not drawn, so that ten seconds of an
// hour cost no more than the hour.
"use strict";

Kolab.makeTimeline = function (root, data, state) {
  const { make, makeSvg, clockText } = Kolab;
  const LEAST_VIEW = 10000;
  const ROW = 22;
  const actors = [...new Set(data.nodes.filter((node) => node.type === "ai").map((node) => node.actor))];
  const lanes = [{ name: "person", rows: layOut((node) => node.type === "user") }].concat(
    actors.map((actor) => ({ name: actor, rows: layOut((node) => node.type === "ai" && node.actor === actor) })),
  );
  const view = { start: 0, end: Math.max(LEAST_VIEW, state.clock.length) };
  const timeline = { view, draw, placeHead, zoom, fit, show };
  let top = 0;
  let hovered = null;
  let drag = null;
  let isFitted = true;

  const ruler = addLane("time", 20, "ruler");
  const segments = addLane("steps", ROW, "segments");
  const person = addLane("person", lanes[0].rows.count * ROW, "acts");
  const arcs = addLane("responses", data.responses.length ? 46 : 8, "arcs");
  const agents = lanes.slice(1).map((lane) => addLane(lane.name, lane.rows.count * ROW, "acts"));
  const chat = addLane("chat", 18, "marks");
  const thumbs = data.thumbs.length ? addLane("frames", 56, "thumbs") : null;
  const track = make("div", { class: "track" });
  const gutter = make("div", { class: "gutter" });
  const lines = makeSvg("svg", { class: "lines", "aria-hidden": "true" });
  const head = make("div", { class: "playhead", "aria-hidden": "true" });
  const shades = make("div", { class: "shades", "aria-hidden": "true" });
  const body = make("div", { class: "body" }, track, shades, lines, head);
  const overview = make("div", { class: "overview", title: "The whole session; click to jump" });
  const frame = make("div", { class: "view" });
  const spot = make("div", { class: "spot" });
  overview.append(frame, spot);
  root.append(make("div", { class: "lanes" }, gutter, body), overview);
  for (const lane of [ruler, segments, person, arcs, ...agents, chat, thumbs]) {
    if (!lane) continue;
    track.append(lane.box);
    gutter.append(lane.title);
  }
  body.style.height = gutter.style.height = `${top}px`;

  // Occurrences that overlap go below one another.
  function layOut(belongs) {
    const items = [];
    data.nodes.forEach((node, index) => {
      if (belongs(node)) node.times.forEach(([start, end], number) => items.push({ node: index, number, start, end }));
    });
    items.sort((a, b) => a.start - b.start || a.end - b.end);
    const ends = [];
    for (const item of items) {
      let row = ends.findIndex((end) => end <= item.start);
      if (row < 0) row = ends.length;
      item.row = Math.min(row, 5);
      ends[row] = Math.max(item.end, item.start + 1);
    }
    return { items, count: Math.max(1, Math.min(6, ends.length)) };
  }

  function addLane(name, height, kind) {
    const lane = { name, kind, top, height };
    lane.box = make("div", { class: `lane ${kind}` });
    lane.title = make("div", { class: "lanename", title: name }, make("span", { dir: "auto" }, name));
    for (const box of [lane.box, lane.title]) {
      box.style.top = `${top}px`;
      box.style.height = `${height}px`;
    }
    top += height + 4;
    return lane;
  }

  const width = () => Math.max(1, body.clientWidth);
  const x = (time) => ((time - view.start) / (view.end - view.start)) * width();
  const isInView = (start, end) => start <= view.end && end >= view.start;
  const timeAt = (event) => {
    const box = body.getBoundingClientRect();
    return view.start + ((event.clientX - box.left) / box.width) * (view.end - view.start);
  };

  function draw() {
    const focused = document.activeElement && document.activeElement.dataset.key;
    drawRuler();
    drawSegments();
    drawLane(person, lanes[0].rows.items);
    agents.forEach((lane, index) => drawLane(lane, lanes[index + 1].rows.items));
    drawMarks();
    if (thumbs) drawThumbs();
    drawLines();
    drawShades();
    placeHead();
    const length = state.clock.length || 1;
    frame.style.left = `${(100 * view.start) / length}%`;
    frame.style.width = `${Math.min(100, (100 * (view.end - view.start)) / length)}%`;
    if (focused) {
      const again = [...track.querySelectorAll("[data-key]")].find((element) => element.dataset.key === focused);
      if (again) again.focus({ preventScroll: true });
    }
  }

  function place(element, start, end, least) {
    const left = Math.max(-4, x(start));
    element.style.left = `${left}px`;
    element.style.width = `${Math.max(least, Math.min(width() + 4, x(end)) - left)}px`;
    return element;
  }

  function drawRuler() {
    const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 36000, 86400];
    const least = ((view.end - view.start) / width()) * 70;
    const step = (steps.find((seconds) => seconds * 1000 >= least) || 864000) * 1000;
    ruler.box.replaceChildren();
    for (let time = Math.ceil(view.start / step) * step; time <= view.end; time += step) {
      const tick = make("span", { class: "tick" }, clockText(time));
      tick.style.left = `${x(time)}px`;
      ruler.box.append(tick);
    }
  }

  function bar(key, attributes, text, onPick) {
    const element = make("div", { role: "button", tabindex: "0", "data-key": key, ...attributes }, make("span", { dir: "auto" }, text));
    element.addEventListener("click", () => !timeline.wasDragged && onPick());
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter") onPick();
    });
    return element;
  }

  function drawSegments() {
    segments.box.replaceChildren();
    data.segments.forEach((segment, index) => {
      if (!isInView(segment.start, segment.end)) return;
      const isShown = state.showsSegment(index);
      const text = isShown ? `${segment.badge} · ${segment.name}` : "";
      const kind = segment.step === null ? "custom" : segment.step % 2 ? "odd" : "even";
      const attributes = {
        class: `bar segment ${kind} ${isShown ? "" : "hidden"}`,
        title: isShown ? `${text}\n${clockText(segment.start)}–${clockText(segment.end)}` : "hidden",
        "aria-label": isShown ? text : "hidden segment",
      };
      const element = bar(`segment ${index}`, attributes, text, () => state.pickSegment(index));
      element.addEventListener("pointerenter", () => hover({ segment: index }));
      element.addEventListener("pointerleave", () => hover(null));
      segments.box.append(place(element, segment.start, segment.end, 3));
    });
  }

  function drawLane(lane, items) {
    lane.box.replaceChildren();
    for (const item of items) {
      if (!isInView(item.start, item.end)) continue;
      const node = data.nodes[item.node];
      const shown = state.shownUntil(item.node, item.start, item.end);
      const isCut = shown !== null && shown < item.end;
      const text = shown === null ? "" : node.label;
      const classes = ["bar", node.type, shown === null ? "hidden" : "", item.node === state.node ? "selected" : ""];
      if (state.isTarget(item.node, item.start)) classes.push("target");
      const span = `${clockText(item.start, true)}–${clockText(shown === null ? item.end : shown, true)}`;
      const attributes = {
        class: classes.join(" "),
        title: shown === null ? "hidden" : `${text}\n${span}`,
        "aria-label": shown === null ? "hidden" : `${node.actor}: ${text}, ${span}`,
      };
      const element = bar(`node ${item.node} ${item.number}`, attributes, text, () => state.pickNode(item.node, item.start));
      element.addEventListener("pointerenter", () => hover({ node: item.node }));
      element.addEventListener("pointerleave", () => hover(null));
      element.style.top = `${item.row * ROW}px`;
      lane.box.append(place(element, item.start, isCut ? shown : item.end, 4));
      if (isCut) {
        const rest = make("div", { class: "bar hidden rest", title: "hidden" });
        rest.style.top = `${item.row * ROW}px`;
        lane.box.append(place(rest, shown, item.end, 2));
      }
    }
  }

  function drawMarks() {
    chat.box.replaceChildren();
    data.chat.forEach((turn, index) => {
      if (turn.start === null || !isInView(turn.start, turn.end === null ? turn.start : turn.end)) return;
      const isShown = state.showsTurn(index);
      const who = turn.role === "human" ? "person" : turn.agent || "AI";
      const attributes = {
        class: `mark ${turn.role} ${isShown ? "" : "hidden"}`,
        title: isShown ? `${who}, ${clockText(turn.start, true)}: ${(turn.content || "").slice(0, 120)}` : "hidden",
        "aria-label": isShown ? `${who}, ${clockText(turn.start)}` : "hidden turn",
      };
      const element = bar(`turn ${index}`, attributes, "", () => state.pickTurn(index));
      element.style.left = `${x(turn.start)}px`;
      chat.box.append(element);
    });
  }

  function drawThumbs() {
    thumbs.box.replaceChildren();
    let right = -Infinity;
    data.thumbs.forEach(([time, name], index) => {
      const next = index + 1 < data.thumbs.length ? data.thumbs[index + 1][0] : state.clock.length;
      if (!isInView(time, next) || x(time) < right) return;
      const left = Math.max(x(time), Math.min(0, x(next) - 100));
      const isShown = state.showsTime(time);
      const cell = make("div", { class: `thumb ${isShown ? "" : "hidden"}`, title: isShown ? clockText(time, true) : "hidden" });
      if (isShown) cell.append(make("img", { src: `thumbs/${name}`, alt: "", loading: "lazy", draggable: "false" }));
      cell.style.left = `${left}px`;
      right = left + 102;
      thumbs.box.append(cell);
    });
  }

  const bottomOf = (lane) => lane.top + lane.height;
  const laneOf = (node) => (node.type === "user" ? person : agents[actors.indexOf(node.actor)]);
  const rowOf = (index, start) => {
    const lane = data.nodes[index].type === "user" ? lanes[0] : lanes[1 + actors.indexOf(data.nodes[index].actor)];
    const item = lane.rows.items.find((one) => one.node === index && one.start === start);
    return item ? item.row : 0;
  };
  const middleOf = (index, start) => laneOf(data.nodes[index]).top + (rowOf(index, start) + 0.5) * ROW;

  function drawLines() {
    lines.setAttribute("viewBox", `0 0 ${width()} ${top}`);
    lines.replaceChildren();
    if (state.showsResponses()) data.responses.forEach(drawArc);
    drawEdges();
  }

  // From the end of the request over the AI output to the start of what the person did with it.
  function drawArc(response, index) {
    const { source, target, act } = response;
    // Marks of several responses in one act stand side by side.
    const isSame = (other) => other.act[0] === act[0] && other.act[1] === act[1];
    const number = data.responses.slice(0, index).filter(isSame).length;
    const first = source ? source[1] : target[1];
    if (!isInView(Math.min(first, target[1], act[1]), Math.max(act[2], target[2]))) return;
    const low = laneOf(data.nodes[target[0]]).top + rowOf(target[0], target[1]) * ROW;
    const high = person.top + (rowOf(act[0], act[1]) + 1) * ROW;
    const isBright = [source && source[0], target[0], act[0]].includes(hovered ? hovered.node : state.node);
    const kind = `arc ${response.label} ${isBright ? "bright" : ""}`;
    const paths = [];
    if (source) {
      const from = person.top + (rowOf(source[0], source[1]) + 1) * ROW;
      paths.push(curve(x((source[1] + source[2]) / 2), from, x(target[1]), low));
    }
    paths.push(curve(x(target[2]), low, x((act[1] + act[2]) / 2), high));
    for (const path of paths) lines.append(makeSvg("path", { d: path, class: kind }));
    lines.append(labelMark(response.label, x((act[1] + act[2]) / 2) + 11 * number, bottomOf(person) + 5));
  }

  function labelMark(label, left, y) {
    const shapes = {
      adopt: ["circle", { cx: left, cy: y, r: 4 }],
      modify: ["path", { d: `M${left} ${y - 5}l5 5l-5 5l-5 -5z` }],
      reject: ["path", { d: `M${left - 4} ${y - 4}l8 8m0 -8l-8 8` }],
    };
    const [tag, attributes] = shapes[label];
    return makeSvg(tag, { ...attributes, class: `labelmark ${label}` });
  }

  function curve(x0, y0, x1, y1) {
    const middle = (y0 + y1) / 2;
    return `M${x0.toFixed(1)} ${y0}C${x0.toFixed(1)} ${middle} ${x1.toFixed(1)} ${middle} ${x1.toFixed(1)} ${y1}`;
  }

  // The step's edges, on hover or selection: each from the latest earlier occurrence of its source.
  function drawEdges() {
    const at = hovered || (state.node === null ? null : { node: state.node });
    if (at === null) return;
    const segment = at.segment === undefined ? data.nodes[at.node].segment : at.segment;
    data.edges.forEach(([source, target, type], index) => {
      const isNear = [source, target].some((node) => data.nodes[node].segment === segment);
      if (!isNear || !state.showsEdge(index)) return;
      for (const [from, to] of passages(source, target)) {
        const path = curve(x(from[1]), middleOf(source, from[0]), x(to[0]), middleOf(target, to[0]));
        const isOwn = at.node === source || at.node === target;
        lines.append(makeSvg("path", { d: path, class: `edge ${type} ${isOwn ? "bright" : ""}` }));
      }
    });
  }

  function passages(source, target) {
    const times = (index) => data.nodes[index].times.filter(([start, end]) => state.shownUntil(index, start, end) !== null);
    const from = times(source);
    const found = [];
    for (const to of times(target)) {
      const earlier = from.filter((one) => one[0] <= to[0] && one !== to);
      if (earlier.length) found.push([earlier.reduce((a, b) => (b[0] >= a[0] ? b : a)), to]);
    }
    return found;
  }

  function drawShades() {
    shades.replaceChildren();
    const question = state.question;
    if (!question) return;
    let from = 0;
    for (const [start, end] of [...question.window, [Math.max(state.clock.length, view.end), 0]]) {
      if (start > from && isInView(from, start)) {
        shades.append(place(make("div", { class: "shade" }), from, start, 0));
      }
      from = Math.max(from, end);
    }
    for (const [start, end] of question.window) {
      if (isInView(start, end)) shades.append(place(make("div", { class: "window" }), start, end, 2));
    }
  }

  function hover(what) {
    hovered = what;
    drawLines();
  }

  function placeHead() {
    const now = state.clock.now;
    const isVisible = now >= view.start && now <= view.end;
    head.hidden = !isVisible;
    if (isVisible) head.style.transform = `translateX(${x(now)}px)`;
    spot.style.left = `${(100 * now) / (state.clock.length || 1)}%`;
  }

  function setView(start, end) {
    const length = Math.max(LEAST_VIEW, state.clock.length);
    const span = Math.min(Math.max(LEAST_VIEW, end - start), length);
    view.start = Math.min(Math.max(0, start), length - span);
    view.end = view.start + span;
    isFitted = span === length;
    draw();
  }

  function zoom(factor, around) {
    const at = around === undefined ? state.clock.now : around;
    const centre = at >= view.start && at <= view.end ? at : (view.start + view.end) / 2;
    const span = Math.max(LEAST_VIEW, (view.end - view.start) * factor);
    const share = (centre - view.start) / (view.end - view.start);
    setView(centre - span * share, centre + span * (1 - share));
  }

  function fit(start, end) {
    if (start === undefined) setView(0, Math.max(LEAST_VIEW, state.clock.length));
    else setView(start - (end - start) * 0.08, end + (end - start) * 0.08);
  }

  // Brings a time into the view, which keeps its scale.
  function show(time) {
    if (isFitted && view.end < state.clock.length) fit();
    const span = view.end - view.start;
    if (time < view.start || time > view.end) setView(time - span * 0.1, time + span * 0.9);
  }

  body.addEventListener("wheel", (event) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (isZoom) zoom(Math.exp(event.deltaY * 0.003), timeAt(event));
    else if (event.deltaX || event.shiftKey) {
      const by = ((event.deltaX || event.deltaY) / width()) * (view.end - view.start);
      setView(view.start + by, view.end + by);
    } else return;
    event.preventDefault();
  }, { passive: false });

  body.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    timeline.wasDragged = false;
    drag = { x: event.clientX, start: view.start, end: view.end };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag || !event.buttons) return;
    const moved = event.clientX - drag.x;
    if (Math.abs(moved) > 4) timeline.wasDragged = true;
    if (!timeline.wasDragged) return;
    const by = (moved / width()) * (drag.end - drag.start);
    setView(drag.start - by, drag.end - by);
  });
  window.addEventListener("pointerup", () => (drag = null));
  body.addEventListener("click", (event) => {
    if (timeline.wasDragged || event.target.closest("[data-key]")) return;
    state.jump(timeAt(event));
  });
  overview.addEventListener("click", (event) => {
    const box = overview.getBoundingClientRect();
    const time = ((event.clientX - box.left) / box.width) * state.clock.length;
    state.jump(time);
    const span = view.end - view.start;
    if (time < view.start || time > view.end) setView(time - span / 2, time + span / 2);
  });
  new ResizeObserver(draw).observe(body);
  return timeline;
};
