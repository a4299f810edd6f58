// Every URL of a page's calls, each read once. Most differ from one before in
// nothing but what comes after the last slash, so what comes before it is read
// once, too.

import type { Address, Template } from "./call";
import { isInteger } from "./id-like";
import { folderOf, isThing, mayBeId, PLACE, placeOf, templateOf, type Folder } from "./template";
import { NO_PARAMS, paramsOf, splitUrl } from "./url";

/** A URL up to its last slash. */
interface Beginning {
  readonly origin: string;
  readonly folder: Folder;
  /** The template of what has an id after the slash, once there was one. */
  things: Template | undefined;
}

export class Addresses {
  private readonly known = new Map<string, Address>();
  private readonly beginnings = new Map<string, Beginning>();
  private readonly templates = new Map<string, Template>();

  of(url: string): Address {
    let address = this.known.get(url);
    if (address === undefined) {
      address = this.read(url);
      this.known.set(url, address);
    }
    return address;
  }

  private read(url: string): Address {
    if (url.includes("#")) return this.readWhole(url, "");
    const mark = url.indexOf("?");
    const slash = mark < 0 ? url.lastIndexOf("/") : url.lastIndexOf("/", mark);
    const before = url.slice(0, slash + 1);
    const beginning = this.beginnings.get(before);
    if (beginning === undefined) return this.readWhole(url, before);
    const name = mark < 0 ? url.slice(slash + 1) : url.slice(slash + 1, mark);
    const query = mark < 0 || mark === url.length - 1 ? "" : url.slice(mark);
    const origin = beginning.origin;
    const folder = beginning.folder;
    const path = folder.path + name;
    const params = query === "" ? NO_PARAMS : paramsOf(query);
    let ids = "";
    let template: Template | undefined;
    if (isInteger(name)) {
      if (isThing(name, folder)) {
        ids = name;
        template = beginning.things ??= this.template(origin, folder.path + PLACE, 1);
      }
    } else if (mayBeId(name)) {
      const place = placeOf(name, "", undefined);
      if (place !== null) {
        ids = place.id;
        template = this.template(origin, folder.path + place.text, 1);
      }
    }
    template ??= this.template(origin, path, 0);
    return { origin, path, query, params, local: false, template, ids, question: undefined };
  }

  /** Reads a URL that begins like none before it, and remembers how it began. */
  private readWhole(url: string, before: string): Address {
    const { origin, path, query, params, local } = splitUrl(url);
    const { text, ids, places } = templateOf(path);
    // After `//` comes a host, not a name.
    if (before !== "" && !local && !before.endsWith("//")) {
      const folder = folderOf(path, text);
      if (folder !== undefined) this.beginnings.set(before, { origin, folder, things: undefined });
    }
    return { origin, path, query, params, local, template: this.template(origin, text, places), ids, question: undefined };
  }

  private template(origin: string, text: string, places: number): Template {
    // The same text is another template when what looks like a place in it is none.
    const key = `${places} ${origin}${text}`;
    let template = this.templates.get(key);
    if (template === undefined) {
      template = { text, places, kinds: [], segments: undefined };
      this.templates.set(key, template);
    }
    return template;
  }
}
