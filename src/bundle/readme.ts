/** The README of a bundle: what each part is, what is not there and why. */
import type { Journal } from '../journal/records.ts';
import { escapeLine } from '../report/plain-text.ts';
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
  ['arms/', 'What arms were made from: lock files, patches, logs of builds.'],
  ['drivers/', "Source of the drivers and the library's public headers, as they were compiled, for each arm."],
  [
    'raw/',
    'Output of every trial: stdout, stderr, files that metrics read, and the account of the launcher with the command.',
  ],
  ['identity.json', 'Who ran it, and where. Do not pass it on.'],
  ['manifest.json', 'Size and SHA-256 of every other file.'],
];

/** @param paths of the files of the bundle but this one and the manifest */
export function bundleReadme(journal: Journal, paths: readonly string[], absent: Manifest['absent']): string {
  const { run } = journal;
  const isThere = (part: string) =>
    part === 'manifest.json' || paths.some((path) => path === part || (part.endsWith('/') && path.startsWith(part)));
  const parts = PARTS.filter(([part]) => isThere(part)).map(([part, what]) => `- \`${part}\`: ${what}`);
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
  ].join('\n')}\n`;
}

/** What strangers wrote, as text and nothing else. */
function plain(text: string): string {
  return escapeLine(text).replace(/[\\`*_{}[\]<>#|!@&~$]/g, '\\$&');
}
