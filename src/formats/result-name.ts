/** Names of results, which tools take from strangers. */

/** What a tool calls it, as one line without controls, else whole: a part of a name may be that of something else. Null where nothing is left. */
export function resultNameOf(printed: string | null): string | null {
  const name = (printed ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return name === '' ? null : name;
}
