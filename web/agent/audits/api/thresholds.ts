// Every limit the API audit goes by. All are echoed in the raw report.

/** B may start this long before A's end and still follow it: code goes on when the headers are there, the record when the body is. */
export const LINK_EARLY_MS = 10;
/** B may start this share of A's duration after A's end … */
export const LINK_LATE_RATIO = 0.5;
/** … but at least this long … */
export const LINK_LATE_MIN_MS = 20;
/** … and at most this long. */
export const LINK_LATE_MAX_MS = 100;
/** Calls in a chain that is always worth a word. */
export const CHAIN_MIN_CALLS = 3;
/** Waste that makes a chain of two worth a word. */
export const PAIR_MIN_WASTED_MS = 200;
/** Waste that makes a chain critical. */
export const WATERFALL_CRITICAL_MS = 500;
/** A call this fast was answered by a cache; nothing waited for the network. */
export const CACHE_HIT_MS = 3;

export const N_PLUS_ONE_MIN_CALLS = 5;
export const N_PLUS_ONE_MIN_VALUES = 3;
/** A call this soon after a user's action may be its doing. */
export const ACTION_REACH_MS = 1000;

export const DUPLICATE_WINDOW_MS = 2000;
/** The doubled effects of React's StrictMode are no further apart than this. */
export const STRICT_MODE_MS = 50;

export const POLL_MIN_CALLS = 5;
export const POLL_MIN_INTERVAL_MS = 500;
export const POLL_MAX_JITTER = 0.15;
/** A request that the server holds open this long is a long poll, when the next follows at once. */
export const LONG_POLL_MS = 5000;

export const LOAD_WINDOW_MS = 3000;
/** More calls than these during load: info, warning, critical. */
export const CHATTY_INFO_CALLS = 20;
export const CHATTY_WARNING_CALLS = 40;
export const CHATTY_CRITICAL_CALLS = 80;

/** The limits by name, as the raw report carries them. */
export const THRESHOLDS = {
  linkEarlyMs: LINK_EARLY_MS,
  linkLateRatio: LINK_LATE_RATIO,
  linkLateMinMs: LINK_LATE_MIN_MS,
  linkLateMaxMs: LINK_LATE_MAX_MS,
  chainMinCalls: CHAIN_MIN_CALLS,
  pairMinWastedMs: PAIR_MIN_WASTED_MS,
  waterfallCriticalMs: WATERFALL_CRITICAL_MS,
  cacheHitMs: CACHE_HIT_MS,
  nPlusOneMinCalls: N_PLUS_ONE_MIN_CALLS,
  nPlusOneMinValues: N_PLUS_ONE_MIN_VALUES,
  actionReachMs: ACTION_REACH_MS,
  duplicateWindowMs: DUPLICATE_WINDOW_MS,
  strictModeMs: STRICT_MODE_MS,
  pollMinCalls: POLL_MIN_CALLS,
  pollMinIntervalMs: POLL_MIN_INTERVAL_MS,
  pollMaxJitter: POLL_MAX_JITTER,
  longPollMs: LONG_POLL_MS,
  loadWindowMs: LOAD_WINDOW_MS,
  chattyInfoCalls: CHATTY_INFO_CALLS,
  chattyWarningCalls: CHATTY_WARNING_CALLS,
  chattyCriticalCalls: CHATTY_CRITICAL_CALLS,
} as const;
