// A short CSS path of an element, for a record that outlives it. Good enough to
// find the place again; uniqueness is tried for, not promised.

const maxParts = 5;

/** `#list > div.row:nth-of-type(2)`; ` >>> ` leads into an open shadow root. */
export function cssPath(element: Element): string {
  const root = element.getRootNode();
  const scope = root instanceof Document || root instanceof ShadowRoot ? root : null;
  let path = "";
  let at: Element | null = element;
  for (let parts = 0; at !== null && parts < maxParts; parts++) {
    path = part(at) + (path === "" ? "" : ` > ${path}`);
    if (at.id !== "" || scope?.querySelectorAll(path).length === 1) break;
    at = at.parentElement;
  }
  return scope instanceof ShadowRoot ? `${cssPath(scope.host)} >>> ${path}` : path;
}

function part(element: Element): string {
  const tag = CSS.escape(element.localName);
  if (element.id !== "") return `${tag}#${CSS.escape(element.id)}`;
  const name = element.classList[0];
  let text = name === undefined ? tag : `${tag}.${CSS.escape(name)}`;
  let place = 0;
  let alike = 0;
  for (const other of element.parentElement?.children ?? []) {
    if (other.localName === element.localName) alike++;
    if (other === element) place = alike;
  }
  if (alike > 1) text += `:nth-of-type(${place})`;
  return text;
}
