// Every limit the loading audit goes by, and what its findings take off the
// score. All limits are echoed in the raw report.

/** B may appear this long after A has gone and still follow it. */
export const CASCADE_GAP_MS = 400;
/** B may appear this long before A's end: one frame, in which both changes are seen in any order. */
export const CASCADE_EARLY_MS = 16;
/** Loaders one after the other that are worth a word. */
export const CASCADE_MIN_DEPTH = 2;
/** A cascade that keeps the user waiting longer than this is critical. */
export const CASCADE_CRITICAL_MS = 1000;
/** A loader this soon after a user's action is the answer to it, not a link. */
export const ACTION_REACH_MS = 100;

/** Loaders at once in one container that are worth a word. */
export const FRAGMENTATION_MIN_LOADERS = 3;
/** Loaders together for less than this are never painted together. */
export const FRAGMENTATION_MIN_MS = 16;

/** The same loader in a rhythm: a refresh, not a cascade. */
export const REFRESH_MIN_TURNS = 5;
export const REFRESH_MIN_INTERVAL_MS = 500;
export const REFRESH_MAX_JITTER = 0.15;

/** The limits by name, as the raw report carries them. */
export const THRESHOLDS = {
  cascadeGapMs: CASCADE_GAP_MS,
  cascadeEarlyMs: CASCADE_EARLY_MS,
  cascadeMinDepth: CASCADE_MIN_DEPTH,
  cascadeCriticalMs: CASCADE_CRITICAL_MS,
  actionReachMs: ACTION_REACH_MS,
  fragmentationMinLoaders: FRAGMENTATION_MIN_LOADERS,
  fragmentationMinMs: FRAGMENTATION_MIN_MS,
  refreshMinTurns: REFRESH_MIN_TURNS,
  refreshMinIntervalMs: REFRESH_MIN_INTERVAL_MS,
  refreshMaxJitter: REFRESH_MAX_JITTER,
} as const;

const CASCADE_WEIGHT = 8;
const CASCADE_WEIGHT_PER_STEP = 4;
const CASCADE_WEIGHT_CRITICAL = 6;
const FRAGMENTATION_WEIGHT = 6;

export function cascadeWeight(depth: number, critical: boolean): number {
  return CASCADE_WEIGHT + CASCADE_WEIGHT_PER_STEP * (depth - CASCADE_MIN_DEPTH) + (critical ? CASCADE_WEIGHT_CRITICAL : 0);
}

export function fragmentationWeight(count: number): number {
  return FRAGMENTATION_WEIGHT + (count - FRAGMENTATION_MIN_LOADERS);
}
