// Answers of the API, checked before anything relies on them.

export type Parse<T> = (fields: Fields) => T;

/** The members of a JSON object, each read as what it must be. */
export class Fields {
  private readonly value: object;

  constructor(value: unknown) {
    if (typeof value !== "object" || value === null) throw new TypeError("expected an object");
    this.value = value;
  }

  text(name: string): string {
    const found = this.read(name);
    if (typeof found !== "string") throw new TypeError(`expected text in "${name}"`);
    return found;
  }

  number(name: string): number {
    const found = this.read(name);
    if (typeof found !== "number") throw new TypeError(`expected a number in "${name}"`);
    return found;
  }

  list<T>(name: string, parse: (value: unknown) => T): T[] {
    const found = this.read(name);
    if (!Array.isArray(found)) throw new TypeError(`expected a list in "${name}"`);
    return found.map((item: unknown) => parse(item));
  }

  object<T>(name: string, parse: Parse<T>): T {
    return parse(new Fields(this.read(name)));
  }

  has(name: string): boolean {
    return this.read(name) !== undefined;
  }

  private read(name: string): unknown {
    return Reflect.get(this.value, name);
  }
}

/** The body of a successful answer; anything else is an error that names the call. */
export async function readJSON<T>(response: Response, parse: Parse<T>): Promise<T> {
  if (!response.ok) throw new Error(await refusal(response));
  const body: unknown = await response.json();
  return parse(new Fields(body));
}

/** Why the server said no, in one line. */
export async function refusal(response: Response): Promise<string> {
  return `${new URL(response.url).pathname} answered ${response.status}: ${(await response.text()).trim()}`;
}
