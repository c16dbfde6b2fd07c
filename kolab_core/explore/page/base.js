// What all scripts of the pages share. Text of a release gets into a page as text nodes alone.
"use strict";

const Kolab = {};

// An element: `make("p", {class: "x", onclick: f}, "text", child, …)`; null children are left out.
Kolab.make = function (tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
};

Kolab.makeSvg = function (tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

// Milliseconds as h:mm:ss, with a tenth where asked.
Kolab.clockText = function (time, withTenths) {
  const tenths = Math.floor(Math.max(0, time) / 100);
  const seconds = Math.floor(tenths / 10);
  const hours = Math.floor(seconds / 3600);
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const text = (hours ? hours + ":" + two(minutes) : String(minutes)) + ":" + two(seconds % 60);
  return withTenths ? text + "." + (tenths % 10) : text;
};

// A long text is cut, and whole when somebody asks.
Kolab.LONG = 700;
Kolab.makeText = function (text, className) {
  const box = Kolab.make("div", { class: "text " + (className || ""), dir: "auto" });
  if (text.length <= Kolab.LONG * 1.2) {
    box.textContent = text;
    return box;
  }
  // Not between the two halves of a character.
  const isHalf = /[\uD800-\uDBFF]/.test(text[Kolab.LONG - 1]);
  box.textContent = text.slice(0, Kolab.LONG - (isHalf ? 1 : 0)) + "…";
  const count = text.length.toLocaleString("en");
  const more = Kolab.make("button", { type: "button", class: "more" }, `All ${count} characters`);
  more.addEventListener("click", () => {
    box.textContent = text;
    more.remove();
  });
  return Kolab.make("div", {}, box, more);
};

Kolab.LABELS = ["adopt", "modify", "reject"];

// What `data.js` brings.
Kolab.session = null;
function kolabSession(values) {
  Kolab.session = values;
}
