/** JSON that may be none. */

/** The value of the text, or undefined, which no JSON is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
