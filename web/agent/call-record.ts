/**
 * One fetch or XMLHttpRequest call as the recorder kept it and as the
 * detectors read it. Plain data: it survives JSON unchanged.
 *
 * There is deliberately no response size: the page cannot see it for every
 * call, and an invented one would be worse than none.
 */
export interface CallRecord {
  /** Unique within one page visit, in the order the calls were made. */
  readonly id: string;
  readonly kind: "fetch" | "xhr";
  /** Upper case for the standard methods, otherwise as the page wrote it. */
  readonly method: string;
  /** Absolute, resolved against the document's base, without the fragment. */
  readonly url: string;
  /** Milliseconds on the page's monotonic clock (`performance.now()`). */
  readonly start: number;
  /** When the body ended; null while the call is in flight. */
  readonly end: number | null;
  /** `end - start`; null while the call is in flight. */
  readonly duration: number | null;
  /** Wall-clock time of `start`, in milliseconds since the epoch. */
  readonly timestamp: number;
  /** HTTP status; 0 when no response arrived, null while none has yet. */
  readonly status: number | null;
  /** Whether the status was 200-299; null while unknown. */
  readonly ok: boolean | null;
  /** Why the call failed, or null. */
  readonly error: string | null;
  /** The page gave the call up. */
  readonly aborted: boolean;
  /** Stack of the caller at call time, agent frames removed; null if unknown. */
  readonly initiator: string | null;
  /** Hash of the request body, never the body; null when there was none or it could not be read for free. */
  readonly bodyKey: string | null;
}

/** When the user did something, on the clock of `CallRecord.start`. */
export interface UserAction {
  readonly type: "click" | "key" | "submit" | "input" | "popstate";
  readonly time: number;
}
