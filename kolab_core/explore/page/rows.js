// The benchmark's rows: what a model is shown of the session, what it is asked, what it answered.
"use strict";

Kolab.CONFIGS = {
  adoption_recognition: "1a · what became of the AI output, seen",
  adoption_forecast: "1b · what will become of the AI output",
  step_n: "1c · the same from one to three steps before",
  workflow_level: "1d · the same from the start of the work",
  collab_rating: "2a · how the collaboration was rated",
  output_quality: "2b · how the output was rated",
};

Kolab.makeRows = function (panel, data, state) {
  const { make, makeText, makeTimeButton } = Kolab;
  const prompts = {};
  const waiting = [];
  let config = data.answers || "adoption_forecast";

  function draw() {
    panel.replaceChildren();
    if (state.question) drawQuestion(state.question);
    else drawList();
  }

  function drawList() {
    if (!data.questions.length) {
      panel.append(make("p", { class: "none" }, "This session has no rows."));
      return;
    }
    const choice = make("select", { "aria-label": "Experiment" });
    for (const [name, text] of Object.entries(Kolab.CONFIGS)) {
      const count = data.questions.filter((question) => question.config === name).length;
      choice.append(make("option", { value: name, selected: name === config }, `${text} (${count})`));
    }
    choice.addEventListener("change", () => {
      config = choice.value;
      draw();
    });
    panel.replaceChildren(choice, makeList());
  }

  function makeList() {
    const list = make("ol", { class: "rowlist" });
    for (const question of data.questions) {
      if (question.config !== config) continue;
      const name = question.step_name || (question.target ? data.nodes[question.target[0]].label : "");
      const context = question.context_steps ? `, ${question.context_steps} step${question.context_steps > 1 ? "s" : ""} before` : "";
      const button = make("button", { type: "button", class: "link" }, make("span", { class: "when" }, `${Kolab.clockText(cutOf(question))}${context}`), make("span", { dir: "auto" }, name));
      button.addEventListener("click", () => state.openQuestion(question));
      const answers = (question.answers || []).map((answer) => (answer.read === null ? "invalid" : String(answer.read)));
      list.append(make("li", {}, button, answers.length ? make("span", { class: "said" }, `answered ${answers.join(", ")}`) : null));
    }
    if (!list.children.length) return make("p", { class: "none" }, "No rows of this experiment.");
    return list;
  }

  const cutOf = (question) => question.window[question.window.length - 1][1];

  function drawQuestion(question) {
    const close = make("button", { type: "button" }, "Close the row");
    close.addEventListener("click", () => state.openQuestion(null));
    const ask = make("button", { type: "button", id: "reveal", "aria-pressed": state.isRevealed }, state.isRevealed ? "Hide it again" : "Show what is hidden");
    ask.addEventListener("click", () => state.reveal(!state.isRevealed));
    const prompt = make("button", { type: "button", id: "show-prompt" }, "Prompt as rendered");
    prompt.addEventListener("click", () => showPrompt(question));
    panel.append(
      make("h2", {}, Kolab.CONFIGS[question.config]),
      make("p", { class: "id", dir: "auto" }, question.id),
      make("p", { class: "actions" }, ask, prompt, close),
    );
    const terms = make("dl", {});
    const add = (name, ...value) => terms.append(make("dt", {}, name), make("dd", {}, ...value));
    add("Window", question.window.map(([start, end]) => make("div", {}, makeTimeButton(state, start), " to ", makeTimeButton(state, end))));
    add("Cut", makeTimeButton(state, cutOf(question)));
    if (question.step_name) add("Step", makeText(question.step_name));
    if (question.ai_action_step) add("Step of the AI's action", makeText(question.ai_action_step));
    if (question.user_action_step) add("Step of the person's", makeText(question.user_action_step));
    if (question.context_steps) add("Steps before", String(question.context_steps));
    if (question.target) add("AI output", nodeLink(question.target));
    if (question.source) add("Request", nodeLink(question.source));
    const count = (items, noun) => `${items.length} ${noun}${items.length === 1 ? "" : "s"}`;
    add("Shown", [count(question.nodes, "node"), count(question.edges, "edge"), count(question.turns, "turn")].join(", "));
    panel.append(terms, make("h3", {}, "Truth"), state.isRevealed ? makeTruth(question.truth) : Kolab.makeHidden());
    drawAnswers(question);
  }

  function nodeLink([index, start]) {
    const isShown = isShownAt(index, start);
    const button = make("button", { type: "button", class: "link", dir: "auto" }, isShown ? data.nodes[index].label : "at its time");
    button.addEventListener("click", () => state.pickNode(index, start));
    return button;
  }

  const isShownAt = (index, start) => state.shownUntil(index, start, start + 1) !== null;

  function makeTruth(truth) {
    if (typeof truth === "number") return Kolab.makeRating(truth);
    return make("p", { class: `label ${truth}` }, truth);
  }

  function drawAnswers(question) {
    if (!question.answers) return;
    panel.append(make("h3", {}, "Answers"));
    if (!question.answers.length) panel.append(make("p", { class: "none" }, "None for this row."));
    for (const answer of question.answers) {
      const head = [`run ${answer.run}`, answer.modalities].filter(Boolean).join(", ");
      const read = answer.read === null ? "invalid" : String(answer.read);
      const isRight = answer.read === question.truth;
      const verdict = state.isRevealed ? make("span", { class: isRight ? "right" : "wrong" }, isRight ? "✓ right" : "✗ wrong") : null;
      panel.append(make("article", { class: "answer" }, make("header", {}, make("strong", {}, read), " ", verdict, make("small", {}, head)), makeText(answer.text)));
    }
  }

  function showPrompt(question) {
    const same = data.questions.filter((one) => one.config === question.config);
    load(question.config, () => {
      const dialog = document.getElementById("prompt");
      const [system, ...parts] = prompts[question.config][same.indexOf(question)];
      const close = make("button", { type: "button" }, "Close");
      close.addEventListener("click", () => dialog.close());
      dialog.replaceChildren(
        make("header", {}, make("h2", {}, "The prompt as rendered"), close),
        make("h3", {}, "System"),
        make("pre", { dir: "auto" }, system),
        make("h3", {}, "User"),
        ...parts.map((text) => (text ? make("pre", { dir: "auto" }, text) : make("p", { class: "frames" }, "Here come the frames."))),
      );
      dialog.showModal();
    });
  }

  // Prompts lie in files of their own, which are loaded when somebody asks.
  function load(name, then) {
    if (prompts[name]) return then();
    waiting.push(then);
    const script = make("script", { src: `prompts/${name}.js` });
    document.head.append(script);
  }

  window.kolabPrompts = function (name, texts) {
    prompts[name] = texts;
    waiting.splice(0).forEach((then) => then());
  };

  return { draw };
};
