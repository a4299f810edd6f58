// Animations that run without end.

import { isDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { AnimationFact } from "./facts";

const ANIMATIONS_MAX = 500;
/** Words of a keyframe that are not properties. */
const NOT_PROPERTIES = new Set(["offset", "computedOffset", "easing", "composite"]);

export function gatherAnimations(elements: Elements): AnimationFact[] {
  if (typeof document.getAnimations !== "function") return [];
  const out: AnimationFact[] = [];
  for (const animation of document.getAnimations().slice(0, ANIMATIONS_MAX)) {
    const { effect } = animation;
    if (animation.playState !== "running" || !(effect instanceof KeyframeEffect) || effect.target === null) continue;
    if (effect.getComputedTiming().iterations !== Infinity || isDevTool(effect.target)) continue;
    const box = effect.target.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    out.push({ ref: elements.add(effect.target), name: nameOf(animation), properties: changing(effect.getKeyframes()), area: Math.round(box.width * box.height) });
  }
  return out;
}

function nameOf(animation: Animation): string {
  const name: unknown = Reflect.get(animation, "animationName");
  return typeof name === "string" ? name : animation.id || "animation";
}

/** Properties that differ from one keyframe to another. */
function changing(frames: readonly ComputedKeyframe[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const frame of frames) {
    for (const [name, value] of Object.entries(frame)) {
      if (NOT_PROPERTIES.has(name)) continue;
      const known = values.get(name) ?? new Set<string>();
      values.set(name, known.add(String(value)));
    }
  }
  return [...values].filter(([, seen]) => seen.size > 1).map(([name]) => name);
}
