// What development tools put into a page: error overlays, toolbars, query
// inspectors, the boxes of highlight. It is not the page's, goes to nobody's readers, and is left out.

const DEV_ELEMENTS = [
  "oriel-layer",
  "nextjs-portal",
  "vite-error-overlay",
  "vite-plugin-checker-error-overlay",
  "astro-dev-toolbar",
  "astro-dev-overlay",
  "#webpack-dev-server-client-overlay",
  "#__vue-devtools-container__",
  "#nuxt-devtools-container",
  "nuxt-devtools-frame",
  ".tsqd-parent-container",
].join(",");

/** Whether the element, or one around it, is a development tool's. */
export function isDevTool(element: Element): boolean {
  return element.closest(DEV_ELEMENTS) !== null || isOwnScript(element);
}

/** Whether the subtree that starts here is a development tool's; for walks, which ask on the way down. */
export function startsDevTool(element: Element): boolean {
  return element.matches(DEV_ELEMENTS) || isOwnScript(element);
}

function isOwnScript(element: Element): boolean {
  return element.localName === "script" && (element.getAttribute("src") ?? "").startsWith("/__devtool/");
}
