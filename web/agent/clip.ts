/** Longest message that is kept, in characters. */
export const messageLimit = 2000;

/** Text cut to a length, saying so. */
export function clip(text: string, limit: number = messageLimit): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length - limit} more characters)`;
}
