/** Symbols as people write them. */
import { RE2JS } from 're2js';
import { findExecutable } from '../../io/executable.ts';
import { runTool, type ToolContext } from '../compiler.ts';

const MOST_CHARACTERS = 1 << 20;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Lines with C++ and Rust symbols in them decoded by c++filt of binutils; as they are where there is none, or it fails.
 * Characters that a terminal would obey or not show are replaced, and so are line ends: as many lines come back.
 * @param lines bytes as characters of the same number
 */
export async function demangle(lines: readonly string[], context: ToolContext): Promise<readonly string[]> {
  const clean = lines.map((line) => Buffer.from(line, 'latin1').toString('utf8').replace(HIDDEN, '\ufffd'));
  const filter = await findExecutable('c++filt', context.env['PATH']);
  if (filter === null) return clean;
  const decoded: string[] = [];
  for (let from = 0; from < clean.length; ) {
    let characters = 0;
    let to = from;
    for (; to < clean.length && characters < MOST_CHARACTERS; to++) characters += (clean[to]?.length ?? 0) + 1;
    const part = clean.slice(from, to);
    const outcome = await runTool(filter, [], { ...context, cwd: '/', stdin: `${part.join('\n')}\n` });
    const answer = outcome.kind === 'done' ? outcome.stdout.split('\n') : [];
    // One line for each, and what stands after the last.
    decoded.push(...(answer.length === part.length + 1 ? answer.slice(0, -1) : part));
    from = to;
  }
  return decoded.map((line) => line.replace(HIDDEN, '\ufffd'));
}

/**
 * Whether a decoded name is what a pattern asks for, `*` standing for anything: the name, or the name without its
 * parameters and without the type in front of it. Time is linear in the length of the name.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const body = pattern
    .split('*')
    .map((part) => RE2JS.quote(part))
    .join('.*');
  const compiled = RE2JS.compile(`(?:[^(]* )?(?:${body})(?:[\\[( ].*)?`, RE2JS.DOTALL);
  return (name) => compiled.matches(name);
}
