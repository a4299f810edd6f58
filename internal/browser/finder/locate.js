// Finds and judges elements. It runs in a world of its own, next to the page's,
// so that nothing the page has redefined is in its way. Each top-level function
// can be called on its own; the rest comes along.

const tidy = (text) => text.replace(/\s+/g, " ").trim();

const clip = (text) => {
  text = tidy(text);
  return text.length > 80 ? text.slice(0, 79) + "…" : text;
};

// Everything under a node, through open shadow roots, in document order.
function* descend(root) {
  for (const child of root.children ?? []) {
    yield child;
    if (child.shadowRoot) yield* descend(child.shadowRoot);
    yield* descend(child);
  }
}

const up = (node) => node.assignedSlot ?? node.parentElement ?? (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);

const closest = (node, test) => {
  for (let n = node; n; n = up(n)) if (test(n)) return n;
  return null;
};

const shown = (element) => {
  if (!element.isConnected || !element.checkVisibility({ visibilityProperty: true })) return false;
  if (getComputedStyle(element).display === "contents") return [...element.children].some(shown) || tidy(element.textContent) !== "";
  const box = element.getBoundingClientRect();
  if (box.width > 0 && box.height > 0) return true;
  return [...element.getClientRects()].some((r) => r.width > 0 && r.height > 0);
};

const skipped = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE", "META", "LINK"]);

const buttonLike = (element) => element instanceof HTMLInputElement && ["button", "submit", "reset", "image"].includes(element.type);

const read = new Map();

// The text of an element as it is laid out, through shadow roots and slots.
const layout = (element) => {
  let text = read.get(element);
  if (text !== undefined) return text;
  text = "";
  if (element instanceof HTMLSlotElement && element.assignedNodes().length) text = spell(element.assignedNodes());
  else if (element.tagName === "BR") text = " ";
  else if (buttonLike(element)) text = element.value || element.alt || (element.type === "submit" ? "Submit" : "");
  else if (!skipped.has(element.tagName)) text = spell((element.shadowRoot ?? element).childNodes);
  if (!getComputedStyle(element).display.startsWith("inline")) text = " " + text + " ";
  read.set(element, text);
  return text;
};

const spell = (nodes) => {
  let text = "";
  for (const node of nodes) {
    if (node.nodeType === Node.TEXT_NODE) text += node.data;
    else if (node.nodeType === Node.ELEMENT_NODE) text += layout(node);
  }
  return text;
};

// What a person reads on an element.
const words = (element) => tidy(layout(element));

const control = (element) => {
  const label = closest(element, (n) => n instanceof HTMLLabelElement);
  return label?.control ?? null;
};

const roleOf = (element) => {
  const given = element.getAttribute("role");
  if (given) return given.split(" ")[0];
  const tag = element.localName;
  if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "";
  if (tag === "button" || tag === "summary" || buttonLike(element)) return "button";
  if (tag === "select") return "combobox";
  if (tag === "textarea" || element.isContentEditable) return "textbox";
  if (tag === "input") return { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox" }[element.type] ?? "textbox";
  return /^h[1-6]$/.test(tag) ? "heading" : "";
};

const nameOf = (element) => {
  const by = element.getAttribute("aria-labelledby");
  if (by) {
    const text = by.split(/\s+/).map((id) => element.getRootNode().getElementById?.(id)?.textContent ?? "").join(" ");
    if (tidy(text)) return tidy(text);
  }
  const label = element.labels?.[0];
  const field = element.matches("input, select, textarea") && !buttonLike(element);
  return tidy(
    element.getAttribute("aria-label") || (label ? words(label) : "") || (field ? "" : words(element)) ||
    element.getAttribute("alt") || element.getAttribute("title") || element.getAttribute("placeholder") || "",
  );
};

const hintOf = (element) => {
  if (element.id) return "#" + CSS.escape(element.id);
  for (const name of ["data-testid", "name"]) {
    if (element.hasAttribute(name)) return `[${name}=${JSON.stringify(element.getAttribute(name))}]`;
  }
  return "";
};

const describe = (element) => ({
  role: roleOf(element) || element.localName, name: clip(nameOf(element)), hint: clip(hintOf(element)),
});

// Elements that fit a CSS selector, in every open shadow root too.
function byCSS(selector) {
  document.documentElement.matches(selector); // throws when it is not one
  const list = [];
  for (const root of [document, ...[...descend(document)].map((e) => e.shadowRoot).filter(Boolean)]) {
    list.push(...root.querySelectorAll(selector));
  }
  return list;
}

// The innermost elements whose words are, or contain, the text.
function byText(text, exact) {
  const wanted = exact ? tidy(text) : tidy(text).toLowerCase();
  const equal = [], within = [];
  const look = (element) => {
    if (skipped.has(element.tagName)) return false;
    let inner = false;
    const below = element.shadowRoot ? [...element.shadowRoot.children, ...element.children] : element.children;
    const own = exact ? words(element) : words(element).toLowerCase();
    // Slotted children are read where they are shown, but are children here.
    if (!own.includes(wanted) && !element.shadowRoot) return false;
    for (const child of below) inner = look(child) || inner;
    if (inner || !own.includes(wanted)) return inner;
    (own === wanted ? equal : within).push(element);
    return true;
  };
  if (wanted && document.body) look(document.body);
  return exact ? equal : [...equal, ...within];
}

// What a person could act on, for telling what there is.
function candidates(role) {
  const list = [];
  const acted = "a[href], button, input:not([type=hidden]), select, textarea, summary, label, [role], [onclick], [tabindex], [contenteditable]";
  for (const element of descend(document)) {
    if (list.length >= 3000) break;
    if (!element.matches(acted) || (role && roleOf(element) !== role) || !shown(element)) continue;
    if (element.localName === "label" && element.control) continue;
    const d = describe(element);
    if (d.name || d.hint) list.push(d);
  }
  return { list, frames: document.querySelectorAll("iframe, frame").length };
}

const disabled = (element) =>
  element.matches(":disabled") || closest(element, (n) => n.matches(":disabled") && n.matches("button, fieldset")) !== null ||
  closest(element, (n) => n.getAttribute("aria-disabled") === "true" || n.inert) !== null;

const texts = new Set(["text", "search", "email", "password", "tel", "url", "number"]);

const gather = (...elements) => elements;

function pick(index) {
  return this[index];
}

function judgeAll(most) {
  return [...this].slice(0, most).map((element) => judge.call(element));
}

// What can be done with an element.
function judge() {
  let kind = "";
  if (this instanceof HTMLInputElement) kind = texts.has(this.type) ? "text" : this.type;
  else if (this instanceof HTMLTextAreaElement) kind = "text";
  else if (this instanceof HTMLSelectElement) kind = "select";
  else if (this.isContentEditable) kind = "rich";
  return {
    ...describe(this), shown: shown(this), disabled: disabled(this), readonly: this.readOnly === true,
    kind, checked: this.checked === true, value: kind === "rich" ? tidy(this.innerText) : String(this.value ?? ""),
  };
}

// The field that is meant by its label, or by what is around it.
function field() {
  const fits = "input:not([type=hidden]), textarea, select, [contenteditable]:not([contenteditable=false])";
  if (this.matches(fits) || this.isContentEditable) return this;
  return control(this) ?? this.querySelector(fits) ?? this;
}

// null when a click that lands on hit is a click on this element; else what is
// in the way.
function reached(hit) {
  const button = closest(this, (n) => n.matches("button, a, label, summary, [role=button], [role=link], [role=menuitem], [role=option], [role=tab]"));
  if (closest(hit, (n) => n === this || n === button) !== null || control(hit) === this) return null;
  const d = describe(hit.nodeType === Node.ELEMENT_NODE ? hit : up(hit));
  if (!d.hint && hit.nodeType === Node.ELEMENT_NODE && hit.classList.length) d.hint = clip("." + CSS.escape(hit.classList[0]));
  return d;
}

// Whether this element stays where it is. Frames are asked for, since without
// them nothing moves; a hidden page draws none, and is not waited for. Three
// looks are needed: what swings is in the same place before and after it turns.
async function still() {
  const frame = () => new Promise((done) => {
    requestAnimationFrame(done);
    setTimeout(done, 100);
  });
  const place = () => {
    const r = this.getBoundingClientRect();
    return [r.x, r.y, r.width, r.height].join();
  };
  await frame();
  const first = place();
  for (const frames of [1, 2]) {
    for (let i = 0; i < frames; i++) await frame();
    if (place() !== first) return false;
  }
  return true;
}

// Makes the next typed text replace what is there.
function select() {
  this.focus();
  if (this.isContentEditable) {
    const range = document.createRange();
    range.selectNodeContents(this);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  } else this.select();
}

// Sets what cannot be typed, and tells the page as a browser does.
function assign(value) {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(this, value);
  this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
  return this.value;
}

// Chooses options by value or label. Answers what there is when one is missing.
function choose(values) {
  const options = [...this.options].filter((o) => !o.disabled && !o.closest("optgroup[disabled]"));
  const find = (v) => options.find((o) => o.value === v) ?? options.find((o) => tidy(o.label) === tidy(v)) ??
    options.find((o) => tidy(o.label).toLowerCase() === tidy(v).toLowerCase());
  const missing = values.find((v) => !find(v));
  if (missing !== undefined || (values.length > 1 && !this.multiple)) {
    return { missing: missing ?? values[1], options: options.slice(0, 100).map((o) => clip(o.label || o.value)) };
  }
  const chosen = new Set(values.map(find));
  this.focus();
  if (this.multiple) for (const o of this.options) o.selected = chosen.has(o);
  else this.value = [...chosen][0]?.value ?? "", this.selectedIndex = [...this.options].indexOf([...chosen][0]);
  this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
  return { chosen: [...this.selectedOptions].map((o) => clip(o.label)) };
}
