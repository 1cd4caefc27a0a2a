/** Which names a file in a bundle may have: those that mean one and the same file on every system. */

/** What could steer a terminal or hide from a reader; lone surrogates too. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const MOST_BYTES = 255;

/** Why a name is not taken, as a predicate (`is absolute`); null where it is. */
export function nameFault(name: string): string | null {
  if (name === '') return 'is empty';
  if (HIDDEN.test(name)) return 'has a control character or an invisible one';
  if (name.includes('\\')) return 'has a backslash';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute';
  const parts = name.split('/');
  if (parts.includes('..')) return 'leads out of the bundle';
  if (parts.includes('.') || parts.includes('')) return 'is not in its shortest form';
  if (name !== name.normalize('NFC')) return 'is not in Unicode normal form C';
  if (Buffer.byteLength(name) > MOST_BYTES) return `is longer than ${MOST_BYTES} bytes`;
  return null;
}

/** One text for names that some file system takes for the same: without case, in one Unicode form. */
function folded(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * A function that takes names one after the other, and says of each why it cannot stand beside those before it; null where
 * it can. A name may not be the folder of another, and folders must not differ by case or Unicode form alone.
 */
export function nameRegister(): (name: string) => string | null {
  /** Folded to what it stands for: `f` and the name of a file, `d` and that of a folder. */
  const known = new Map<string, string>();
  return (name) => {
    const fault = nameFault(name);
    if (fault !== null) return fault;
    const before = known.get(folded(name));
    if (before === `f${name}`) return 'is there twice';
    if (before?.startsWith('f')) return `differs from ${before.slice(1)} by case or Unicode form alone`;
    if (before !== undefined) return 'is a folder too';
    for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
      const folder = name.slice(0, end);
      const key = folded(folder);
      const other = known.get(key);
      if (other?.startsWith('f')) return `lies in ${folder}, which is a file`;
      if (other !== undefined && other !== `d${folder}`) {
        return `lies in a folder that differs from ${other.slice(1)} by case or Unicode form alone`;
      }
      known.set(key, `d${folder}`);
    }
    known.set(folded(name), `f${name}`);
    return null;
  };
}
