// What happens on the page, for those who improve it.

interface Happening {
  readonly name: string;
  readonly items: number;
}

/** Long enough for the whole load to travel in one request. */
const COLLECT_MS = 1500;

let waiting: Happening[] = [];

export function track(name: string, items = 0): void {
  if (waiting.length === 0) window.setTimeout(flush, COLLECT_MS);
  waiting.push({ name, items });
}

function flush(): void {
  const events = waiting;
  waiting = [];
  void send(events);
}

async function send(events: readonly Happening[]): Promise<void> {
  try {
    await fetch("api/events", { method: "POST", keepalive: true, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ events }) });
  } catch {
    // Nobody misses one.
  }
}
