/** Whether an executable really runs with the library of its arm. */
import { digestFile } from '../../io/digest.ts';
import { type ExecutableFacts, isSoname, type LibraryFacts, loadedLibrary } from '../binary/facts.ts';

/** A driver, and the library that it must run with. */
export interface LinkedDriver {
  readonly executable: string;
  readonly executableFacts: ExecutableFacts;
  /** Absolute, links resolved. */
  readonly library: string;
  readonly libraryFacts: LibraryFacts;
  /** `rocksdb` of `librocksdb.so`. */
  readonly libraryName: string;
}

/**
 * What is wrong with the library that the executable runs with; null where it is that of the arm. A static library was
 * linked in when its digest was taken; the executable must then load no shared one of its name. A shared one is looked
 * for as the dynamic loader does, and its bytes compared.
 * @param libraryPath LD_LIBRARY_PATH of the trials
 */
export async function linkageFault(driver: LinkedDriver, libraryPath: string | undefined): Promise<string | null> {
  const { executable, executableFacts, library, libraryFacts, libraryName } = driver;
  const { needed } = executableFacts.dynamic;
  const soname = libraryFacts.dynamic.soname;
  const own = needed.filter((name) => isSoname(name, `lib${libraryName}.so`) || name === soname || name === library);
  const [first] = own;
  if (libraryFacts.linkage === 'static') {
    if (first !== undefined) return `it loads ${first} when it starts, although it should contain ${library}`;
    if (executableFacts.marked !== null && executableFacts.marked !== libraryFacts.marked) {
      return `it contains a build marked '${executableFacts.marked}', but ${library} is marked '${libraryFacts.marked ?? ''}'`;
    }
    return null;
  }
  if (first === undefined) return `it does not load ${library}`;
  for (const name of own) {
    const loaded = await loadedLibrary(name, executable, executableFacts.dynamic, libraryPath);
    if (loaded === null) return `the loader would not find ${name} where ${library} lies`;
    const digest = loaded === library ? null : await digestFile(loaded);
    if (digest !== null && digest.sha256 !== libraryFacts.sha256) return `it loads ${loaded}, which is not ${library}`;
  }
  const now = await digestFile(library);
  return now?.sha256 === libraryFacts.sha256 ? null : `${library} has changed since`;
}
