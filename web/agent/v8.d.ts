// What V8 adds to Error; absent in other engines, hence optional.
interface ErrorConstructor {
  stackTraceLimit?: number;
  prepareStackTrace?: unknown;
  captureStackTrace?(target: object, skip?: unknown): void;
}

// Newer than the ES2020 library, used only where it exists.
declare class WeakRef<T extends object> {
  constructor(target: T);
  deref(): T | undefined;
}
