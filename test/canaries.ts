/** Commands that leave a mark where they run, for tests that nothing of a stranger's does. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Setting = readonly [key: string, value: string];

export interface Canaries {
  /** A command for a shell that leaves a mark of this name, then fails. */
  command(name: string): string;
  /** The path of a program that does. */
  program(name: string): string;
  /** The path of a file that is the mark itself. */
  mark(name: string): string;
  /** A directory of hooks, and one of a template with these hooks. */
  hooks(name: string): string;
  template(name: string): string;
  /** A file of configuration, with all that git can be made to run and what else is to be in it. */
  configuration(name: string, more?: readonly Setting[]): string;
  /** The names of those that ran. */
  fired(): readonly string[];
}

const HOOKS = [
  'post-checkout',
  'post-index-change',
  'reference-transaction',
  'pre-auto-gc',
  'post-merge',
  'fsmonitor-watchman',
];

/** As git-config(1) reads it: one file instead of one process for each setting. */
function configurationOf(settings: readonly Setting[]): string {
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  return settings
    .map(([key, value]) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
      const subsection = first === last ? '' : ` ${quoted(key.slice(first + 1, last))}`;
      return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
    })
    .join('');
}

/** @param parent the directory for all of it */
export function canaries(parent: string): Canaries {
  const root = mkdtempSync(join(parent, 'canaries-'));
  const marks = join(root, 'marks');
  const programs = join(root, 'programs');
  for (const folder of [marks, programs]) mkdirSync(folder);
  const mark = (name: string) => join(marks, name);
  const command = (name: string) => `touch ${mark(name)}; false`;
  const program = (name: string) => {
    const path = join(programs, name);
    writeFileSync(path, `#!/bin/sh\n${command(name)}\n`, { mode: 0o755 });
    return path;
  };
  const hooks = (name: string) => {
    const folder = join(root, `${name}-template`, 'hooks');
    mkdirSync(folder, { recursive: true });
    for (const hook of HOOKS) {
      writeFileSync(join(folder, hook), `#!/bin/sh\ntouch ${mark(`${name}-${hook}`)}\n`, { mode: 0o755 });
    }
    return folder;
  };
  const template = (name: string) => join(hooks(name), '..');
  return {
    command,
    program,
    mark,
    hooks,
    template,
    configuration: (name, more = []) => {
      const run = (what: string) => command(`${name}-${what}`);
      const ext = `ext::touch ${mark(`${name}-ext`)}`;
      return configurationOf([
        ['filter.evil.clean', run('clean')],
        ['filter.evil.smudge', run('smudge')],
        ['filter.evil.process', run('process')],
        ['filter.evil.required', 'true'],
        ['diff.evil.textconv', run('textconv')],
        ['diff.external', run('diff')],
        ['merge.evil.driver', run('merge')],
        ['core.fsmonitor', run('fsmonitor')],
        ['core.sshCommand', run('ssh')],
        ['core.gitProxy', program(`${name}-proxy`)],
        ['core.askPass', program(`${name}-askpass`)],
        ['credential.helper', `!${run('credential')}`],
        ['core.editor', run('editor')],
        ['core.pager', run('pager')],
        ['pager.status', run('pager')],
        ['core.alternateRefsCommand', run('alternates')],
        ['uploadpack.packObjectsHook', program(`${name}-pack`)],
        ['alias.status', `!${run('alias')}`],
        ['protocol.allow', 'always'],
        ['protocol.ext.allow', 'always'],
        ['protocol.file.allow', 'always'],
        ['url.ext::touch /.insteadOf', 'nowhere:'],
        ['remote.evil.url', ext],
        ['remote.evil.uploadpack', run('uploadpack')],
        ['status.submoduleSummary', 'true'],
        ['submodule.recurse', 'true'],
        ['init.templateDir', template(`${name}-template`)],
        ['core.hooksPath', hooks(name)],
        ...more,
      ]);
    },
    fired: () => readdirSync(marks).sort(),
  };
}
