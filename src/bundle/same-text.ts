/** Texts of a journal, in which identity was replaced, beside those of the raw output, in which it was not. */

const PLACEHOLDER = /\{experiment\.dir\}|<home>|<user>|<host>|<env [A-Za-z_][A-Za-z0-9_]*>/g;

/** Whether two texts are the same where each placeholder of the first may stand for anything. Linear. */
export function sameButIdentity(recorded: string, raw: string): boolean {
  if (recorded === raw) return true;
  const [first = '', ...others] = recorded.split(PLACEHOLDER);
  const last = others.pop();
  if (last === undefined || !raw.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = raw.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return raw.length - last.length >= at && raw.endsWith(last);
}

/** As `sameButIdentity`, for values of any shape. The recorded one has a known shape, and is not deep. */
export function sameValueButIdentity(recorded: unknown, raw: unknown): boolean {
  if (typeof recorded === 'string' && typeof raw === 'string') return sameButIdentity(recorded, raw);
  if (typeof recorded !== 'object' || recorded === null || typeof raw !== 'object' || raw === null) {
    return recorded === raw;
  }
  if (Array.isArray(recorded) !== Array.isArray(raw)) return false;
  const [a, b] = [Object.entries(recorded), new Map(Object.entries(raw))];
  return a.length === b.size && a.every(([key, value]) => b.has(key) && sameValueButIdentity(value, b.get(key)));
}
