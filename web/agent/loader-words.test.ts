import assert from "node:assert/strict";
import { test } from "node:test";
import { isSpin, loaderKind, loaderWord } from "./loader-words";

test("whole words, however they are joined", () => {
  const cases: [text: string, want: ReturnType<typeof loaderWord>][] = [
    ["spinner", "spinner"],
    ["loading", "spinner"],
    ["btn-loading", "spinner"],
    ["btn_loading", "spinner"],
    ["card--isLoading", "spinner"],
    ["card__loader", "spinner"],
    ["LoadingOverlay", "spinner"],
    ["ng-star-inserted appLoader2", "spinner"],
    ["LOADING", "spinner"],
    ["skeleton", "skeleton"],
    ["MuiSkeleton-root", "skeleton"],
    ["loading skeleton-line", "skeleton"],
    ["shimmer", "skeleton"],
    ["skeletons", "skeleton"],
    // Other words.
    ["", null],
    ["download", null],
    ["download-button", null],
    ["downloadButton", null],
    ["reload", null],
    ["payload", null],
    ["preload", null],
    ["preloaded", null],
    ["uploading", null],
    ["loaded", null],
    ["lazyload", null],
    ["workload", null],
    ["spinnerama", null],
    ["exoskeleton", null],
  ];
  for (const [text, want] of cases) assert.equal(loaderWord(text), want, text);
});

test("role and state count too", () => {
  const cases: [tag: string, role: string | null, busy: string | null, words: string, want: ReturnType<typeof loaderKind>][] = [
    ["div", null, "true", "", "busy"],
    ["div", null, "false", "", null],
    ["div", null, "", "", null],
    ["div", "progressbar", null, "", "progress"],
    ["div", " ProgressBar", null, "", "progress"],
    ["progress", null, null, "", "progress"],
    ["div", "status", null, "", null],
    ["ul", null, "true", "skeleton", "skeleton"],
    ["div", "progressbar", null, "spinner", "progress"],
    ["button", null, "true", "btn-loading", "spinner"],
    ["body", null, null, "loading", null],
    ["body", null, "true", "loading", "busy"],
  ];
  for (const [tag, role, busy, words, want] of cases) assert.equal(loaderKind(tag, role, busy, words), want, `${tag} ${role} ${busy} ${words}`);
});

test("spin-like animations", () => {
  const none: string[] = [];
  const cases: [name: string, ms: number, transforms: string[], want: boolean][] = [
    ["spin", 1000, none, true],
    ["fa-spin", 2000, none, true],
    ["loadingDots", 800, none, true],
    ["skeleton-loading", 1500, none, true],
    ["x1", 1000, ["none", "rotate(360deg)"], true],
    ["x1", 1000, ["rotate(0turn)", "rotate(1turn)"], true],
    ["x1", 1000, ["rotate(-360deg)"], true],
    // Decoration.
    ["App-logo-spin", 20_000, ["rotate(360deg)"], false],
    ["pulse", 1000, none, false],
    ["wiggle", 500, ["rotate(-5deg)", "rotate(5deg)"], false],
    ["spinach", 1000, none, false],
    ["spin", 0, none, false],
    ["spin", Number.NaN, none, false],
  ];
  for (const [name, ms, transforms, want] of cases) assert.equal(isSpin(name, ms, transforms), want, `${name} ${ms} ${transforms}`);
});
