// Records the loading indicators that the page shows.
//
// Watching the document's changes would make each of them dearer. So it is
// looked at instead, by one native query, and only while something goes on: at
// the load, while calls are in flight, after what the user does, after an
// animation has started, and as long as a loader is visible. A page at rest is
// left alone, and so is one that nobody sees. Looking takes at most about a
// hundredth of the page's time: what takes longer is done less often.

import type { CallBuffer } from "../calls";
import { cssPath } from "../css-path";
import { LoaderLog, outermost } from "../loader-log";
import type { Seen } from "../loader-log";
import type { LoaderRecords } from "../loader-record";
import { isSpin, loaderKind, loaderSelector } from "../loader-words";
import type { LoaderKind } from "../loader-words";
import { cleaned, replaceMethod } from "../mask";
import { apply, clearTimer, listen, now, quietly, setTimer } from "../native";
import type { Undo } from "../native";

/** The least time between two looks, in ms. */
const between = 80;
/** The share of the page's time that looking may take: one part in so many. */
const share = 100;
/** How long after an action, a route change or the start of a call something may still appear, in ms. */
const aftermath = 1000;
/** A loader that stays is looked at less and less often: after this part of the time that it has been there, at most every so many ms. */
const patience = 20;
const seldom = 2000;
/** Most candidates looked at in one sample, and most shadow roots and animated elements remembered. */
const maxCandidates = 400;
const maxRemembered = 200;

export class Loaders {
  private readonly log = new LoaderLog<Element>();
  private readonly roots = new Set<WeakRef<ShadowRoot>>();
  private readonly animated = new Set<Element>();
  private readonly buffer: CallBuffer;
  private until = 0;
  private timer = 0;
  private due = Infinity;
  private looked = 0; // when the last sample was taken
  private since = 0; // when something else than a visible loader last was a reason to look

  constructor(buffer: CallBuffer) {
    this.buffer = buffer;
  }

  /** Begins to watch; the first look is somebody else's to ask for. */
  start(): Undo {
    this.buffer.onBegin = () => this.poke();
    const undo = [
      listen(globalThis, "animationstart", (event: Event) => {
        if (this.animated.size < maxRemembered && event.target instanceof Element) this.animated.add(event.target);
        this.poke(0);
      }),
      replaceMethod(Element.prototype, "attachShadow", (native, self, args) => {
        try {
          const root = apply(native, self, args);
          quietly(() => this.remember(root));
          return root;
        } catch (error) {
          throw cleaned(error);
        }
      }),
    ];
    return () => {
      this.buffer.onBegin = null;
      clearTimer(this.timer);
      for (const each of undo) each();
    };
  }

  /** Something happened that may show a loader within the next so many milliseconds. */
  poke(ms: number = aftermath): void {
    this.until = Math.max(this.until, now() + ms);
    this.arm(between);
  }

  /** The records, up to date. */
  read(): LoaderRecords {
    quietly(() => this.look());
    return this.log.read();
  }

  private remember(root: unknown): void {
    if (root instanceof ShadowRoot && root.mode === "open" && this.roots.size < maxRemembered) this.roots.add(new WeakRef(root));
  }

  private arm(ms: number): void {
    const due = now() + ms;
    if (this.due <= due) return;
    clearTimer(this.timer);
    this.due = due;
    this.timer = setTimer(() => {
      this.due = Infinity;
      this.turn();
    }, ms);
  }

  /** Looks, and goes on looking for as long as there is a reason to. */
  turn(): void {
    quietly(() => this.step());
  }

  private step(): void {
    if (document.visibilityState === "hidden") {
      const undo = listen(document, "visibilitychange", () => {
        undo();
        this.arm(between);
      });
      return;
    }
    const began = now();
    this.look();
    const pause = Math.max(between, (now() - began) * share);
    if (document.readyState !== "complete" || began < this.until || this.buffer.busy(aftermath)) {
      this.since = began;
      this.arm(pause);
    } else if (this.log.count > 0) {
      this.arm(Math.max(pause, Math.min(seldom, (began - this.since) / patience)));
    }
  }

  private look(): void {
    // Most pages show none, and should pay for no more than one question.
    if (this.log.count + this.roots.size + this.animated.size === 0 && document.querySelector(loaderSelector) === null) return;
    const kinds = gather(this.roots, this.animated);
    // What a call brought is drawn a moment after it, perhaps only after the next sample.
    const turned = this.buffer.turned(this.looked - between);
    this.looked = now();
    this.log.sample(this.looked, outermost(kinds, parentOf), (element) => describe(element, kinds.get(element) ?? "busy"), turned);
  }
}

/** Every visible loader with its kind, nested ones too. */
function gather(roots: Set<WeakRef<ShadowRoot>>, animated: Set<Element>): Map<Element, LoaderKind> {
  const found = new Map<Element, LoaderKind>();
  let left = maxCandidates;
  const search = (scope: ParentNode): void => {
    for (const element of scope.querySelectorAll(loaderSelector)) {
      if (left-- <= 0) return;
      const words = `${element.getAttribute("class") ?? ""} ${element.id}`;
      const kind = loaderKind(element.localName, element.getAttribute("role"), element.getAttribute("aria-busy"), words);
      if (kind !== null && isSeen(element)) found.set(element, kind);
    }
  };
  search(document);
  for (const ref of roots) {
    const root = ref.deref();
    if (root === undefined) roots.delete(ref);
    else if (root.host.isConnected) {
      search(root);
      for (const animation of root.getAnimations()) if (animation.effect instanceof KeyframeEffect && animation.effect.target !== null) animated.add(animation.effect.target);
    }
  }
  for (const element of animated) {
    const spins = element.isConnected && element.getAnimations().some(spinning);
    if (!spins) animated.delete(element);
    else if (!found.has(element) && isSeen(element)) found.set(element, "spinner");
  }
  return found;
}

function spinning(animation: Animation): boolean {
  const { effect, playState } = animation;
  if (playState !== "running" || !(effect instanceof KeyframeEffect)) return false;
  const { iterations, duration } = effect.getTiming();
  if (iterations !== Infinity || typeof duration !== "number") return false;
  const name = animation instanceof CSSAnimation ? animation.animationName : animation.id;
  const turns = effect.getKeyframes().map((frame) => `${String(frame["transform"] ?? "")} rotate(${String(frame["rotate"] ?? "")})`);
  return isSpin(name, duration, turns);
}

/** Whether a person looking at the page could see it: drawn, not transparent, of some size, inside the window. */
function isSeen(element: Element): boolean {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) {
    return getComputedStyle(element).display === "contents" && boxInView(element.firstElementChild);
  }
  return boxInView(element) || boxInView(element.firstElementChild);
}

function boxInView(element: Element | null): boolean {
  if (element === null) return false;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
}

function parentOf(element: Element): Element | null {
  const parent = element.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

const regions =
  "main,nav,header,footer,aside,section,article,form,dialog,fieldset,table,[id]," +
  '[role="main"],[role="region"],[role="navigation"],[role="dialog"],[role="form"],[role="complementary"],[role="search"],[role="feed"]';

function describe(element: Element, kind: LoaderKind): Seen {
  let region = parentOf(element);
  while (region !== null && !region.matches(regions)) region = parentOf(region);
  let container = parentOf(element);
  while (container !== null && /^(?:inline|contents)/.test(getComputedStyle(container).display)) container = parentOf(container);
  return { selector: cssPath(element), region: region === null ? "body" : cssPath(region), kind, container: container === null ? "body" : cssPath(container) };
}
