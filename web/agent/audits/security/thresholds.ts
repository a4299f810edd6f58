// Every limit the security audit goes by. All are echoed in the report.

/** Strict-Transport-Security for less than this many days protects little. */
export const HSTS_MIN_DAYS = 180;
/** Elements with inline handlers that are worth a word; a few are a habit, many stand in the way of a policy. */
export const HANDLERS_MIN = 5;
/** Text of inline scripts that is searched for keys: of one script, and in all. */
export const SECRET_SCRIPT_CHARS = 512 * 1024;
export const SECRET_TOTAL_CHARS = 4 * 1024 * 1024;
/** Different keys that are told apart. */
export const SECRETS_MAX = 20;

export const THRESHOLDS = {
  hstsMinDays: HSTS_MIN_DAYS,
  handlersMin: HANDLERS_MIN,
  secretScriptChars: SECRET_SCRIPT_CHARS,
  secretTotalChars: SECRET_TOTAL_CHARS,
  secretsMax: SECRETS_MAX,
} as const;
