/** The README of a bundle: what each part is, what is not there and why. */
import type { Journal } from '../journal/records.ts';
import { escapeLine } from '../report/plain-text.ts';
import { binariesOf } from './binaries.ts';
import type { Manifest } from './manifest.ts';

const PARTS: readonly (readonly [path: string, what: string])[] = [
  ['report.md', 'The report, for an issue tracker.'],
  ['report.html', 'The report with its plots, for a browser.'],
  ['report.txt', 'The report as a terminal shows it.'],
  ['results.json', 'All results, for programs (`assay schema results`).'],
  ['trials.csv', 'One line a trial: its place in the order, whether it counts or why not, its metrics.'],
  ['pairs.csv', 'One line a pair and metric: both values and the effect.'],
  ['experiment.yaml', 'The experiment as it was given. Names and paths of whoever ran it are placeholders.'],
  ['plan.json', 'The order of trials, which follows from the experiment and its seed.'],
  ['journal.jsonl', 'Everything that was measured, one line with a checksum a trial. All results follow from it.'],
  ['environment.json', 'The machine, the launcher, and the versions of what numbers went through.'],
  ['provenance.json', 'Each arm: origin, command, digests of the files that were executed.'],
  ['verification.json', 'The published figures beside those recalculated from the raw output.'],
  [
    'arms/',
    "Of each arm what it was made from: lock files, patches, logs of builds, metadata of a library's build. The journal has their digests.",
  ],
  ['drivers/', "Source of the drivers and the library's public headers, as they were compiled, for each arm."],
  [
    'raw/',
    'Output of every trial: stdout, stderr, files that metrics read, and the account of the launcher with the command.',
  ],
  ['binaries/', 'Executables and libraries, with the digests below.'],
  ['identity.json', 'Who ran it, and where. Do not pass it on.'],
  ['manifest.json', 'Size and SHA-256 of every other file.'],
];

/** Files of arms, by the ends of their names. */
const ARM_PARTS: readonly (readonly [pattern: RegExp, part: string, what: string])[] = [
  [
    /\/from-[^/]+\.diff$/,
    'arms/ARM/from-OTHER.diff',
    'What differs between the sources of two arms before their builds, patches included, as `git diff` tells it. A very long one is cut, and says so.',
  ],
  [
    /\/library\.json$/,
    'arms/ARM/library.json',
    "What an arm's library consists of: object files with sizes and digests, compilers, libraries that it needs, versions by which it calls itself, assertions.",
  ],
  [/^arms\/[^/]+-vs-[^/]+\/[^/]+\.txt$/, 'arms/OTHER-vs-ARM/', 'Disassemblies of functions side by side.'],
];

/** @param paths of the files of the bundle but this one and the manifest */
export function bundleReadme(journal: Journal, paths: readonly string[], absent: Manifest['absent']): string {
  const { run } = journal;
  const isThere = (part: string) =>
    part === 'manifest.json' || paths.some((path) => path === part || (part.endsWith('/') && path.startsWith(part)));
  const ofArms = ARM_PARTS.filter(([pattern]) => paths.some((path) => path.startsWith('arms/') && pattern.test(path)));
  const parts = PARTS.filter(([part]) => isThere(part)).flatMap(([part, what]) => [
    `- \`${part}\`: ${what}`,
    ...(part === 'arms/' ? ofArms.map(([, name, means]) => `- \`${name}\`: ${means}`) : []),
  ]);
  const missing = absent.map(({ what, why }) => `- ${plain(what)}: ${plain(why)}.`);
  return `${[
    '# Evidence of a benchmark',
    '',
    `${plain(run.experiment.title)}. Run on ${new Date(run.started_unix_ms).toISOString()} by Assay ${plain(run.assay)}.`,
    '',
    'To check it, give the archive as it was sent, or the folder that it was unpacked to:',
    '',
    '    assay verify FILE',
    '',
    'This computes every number again from the raw output and runs nothing that is in here.',
    '',
    '## What is here',
    '',
    ...parts,
    '',
    '## What is not here',
    '',
    ...missing,
    ...executedLines(journal, new Set(paths)),
  ].join('\n')}\n`;
}

/** What was executed, by its digests, whether or not it is here. */
function executedLines(journal: Journal, paths: ReadonlySet<string>): readonly string[] {
  const lines = binariesOf(journal).map(({ arm, build, shown, bytes, sha256, path }) => {
    const of = build === 0 ? plain(arm) : `build ${build + 1} of ${plain(arm)}`;
    const here = paths.has(path) ? `; here as ${plain(path)}` : '';
    return `- ${of}: ${plain(shown)}, ${bytes} bytes, SHA-256 ${plain(sha256)}${here}`;
  });
  return lines.length === 0 ? [] : ['', '## Executables and libraries', '', ...lines];
}

/** What strangers wrote, as text and nothing else. */
function plain(text: string): string {
  return escapeLine(text).replace(/[\\`*_{}[\]<>#|!@&~$]/g, '\\$&');
}
