/** The engines of `drivers/engines`: what their files say of how they are built, and building a program of each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileEach, DRIVERS, FLAGS } from './building.ts';

export const ENGINES = join(DRIVERS, 'engines');
export const STAND_IN = fileURLToPath(new URL('splinterdb-stand-in', import.meta.url));
const LINE = '// assay-engine: ';

/** What the file of an engine says of it, by its keys. */
export function readEngine(file: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(ENGINES, file), 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => line.startsWith(LINE))
      .flatMap((line) =>
        line
          .slice(LINE.length)
          .split(' ')
          .map((word): [string, string] => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
      ),
  );
}

/** The names of all engines' files: each is an engine but that with the steps. */
export const engineFiles = readdirSync(ENGINES).filter((name) => name.endsWith('.cc') && name !== 'study.cc');

export interface EngineUnderTest {
  readonly name: string;
  readonly variants: readonly string[];
  readonly logs: readonly string[];
  readonly object: string;
  readonly link: readonly string[];
}

/** Compiles each engine's file into `directory`; SplinterDB, which Debian does not have, against a stand-in. */
export async function compileEngines(directory: string): Promise<readonly EngineUnderTest[]> {
  const said = engineFiles.map((file) => ({ file, line: readEngine(file) }));
  const list = (text: string | undefined) => text?.split(',') ?? [];
  const engines = said.map(({ file, line }) => {
    const name = line.get('name') ?? '';
    const standIn = name === 'splinterdb';
    const define = line.get('define');
    return {
      file,
      flags: [
        ...list(line.get('flags')),
        ...(define === undefined ? [] : [`-D${define}`]),
        ...(standIn ? ['-I', STAND_IN] : []),
      ],
      engine: {
        name,
        variants: list(line.get('variants')),
        logs: list(line.get('log')),
        object: join(directory, `${name}.o`),
        link: standIn ? [] : list(line.get('link')),
      },
    };
  });
  await compileEach(
    engines.map(({ file, flags, engine }) => [...FLAGS, ...flags, '-c', join(ENGINES, file), '-o', engine.object]),
  );
  return engines.map(({ engine }) => engine);
}
