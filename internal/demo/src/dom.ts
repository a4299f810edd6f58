// The few things this page does to the document.

type Child = Node | string;

/** An element with attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Readonly<Record<string, string>>, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The place in index.html that a part of the page fills. */
export function slot(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A picture from the sheet in index.html; it says nothing to those who cannot see it. */
export function art(name: string, className: string): SVGSVGElement {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", className);
  picture.setAttribute("viewBox", "0 0 200 200");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#art-${name}`);
  picture.append(use);
  return picture;
}

export function spinner(label: string): HTMLElement {
  return h("div", { class: "loading", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, label));
}

/** Stars out of five, filled to a tenth. */
export function stars(rating: number): HTMLElement {
  const label = `${rating.toFixed(1)} out of 5 stars`;
  return h("span", { class: "stars", role: "img", "aria-label": label, style: `--filled: ${rating * 20}%` });
}
