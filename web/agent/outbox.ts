// Events that wait to be sent, bounded by number and by size; what does not
// fit is counted.

/** Most events, and most characters of them, that wait. */
export const queueEvents = 1000;
export const queueChars = 1_000_000;

export class Outbox {
  private texts: string[] = [];
  private chars = 0;
  private lost = 0;

  get empty(): boolean {
    return this.texts.length === 0 && this.lost === 0;
  }

  add(text: string): void {
    if (this.texts.length >= queueEvents || this.chars + text.length > queueChars) {
      this.lost++;
      return;
    }
    this.texts[this.texts.length] = text;
    this.chars += text.length;
  }

  /** What waits as one message of at most so many characters; what has no room in it counts as lost. */
  message(room: number = queueChars + queueEvents): string {
    let lost = this.lost;
    let events = "";
    for (let i = 0; i < this.texts.length; i++) {
      const text = this.texts[i] ?? "";
      if (events.length + text.length > room) lost++;
      else events += events === "" ? text : `,${text}`;
    }
    return `{"t":"events","events":[${events}]${lost > 0 ? `,"lost":${lost}` : ""}}`;
  }

  /** The message has been sent. */
  clear(): void {
    this.texts = [];
    this.chars = 0;
    this.lost = 0;
  }
}
