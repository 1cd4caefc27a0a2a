/** What the commands of a study of variance share: options, and writing the account. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Deviation } from '../analysis/stats/coefficient.ts';
import { listed } from '../experiment/nearest.ts';
import { parseFraction } from '../experiment/quantities.ts';
import { AssayError } from '../failures.ts';
import type { VarianceInput } from '../report/variance-input.ts';
import type { Imported } from '../storage/import-results.ts';
import type { CommandContext } from './program.ts';

export interface AccountFlags {
  readonly format: 'text' | 'markdown' | 'html' | 'csv' | 'json';
  readonly json?: boolean;
  readonly output?: string;
}

/** Steps are columns: of more than these no table can be read. */
export const MOST_STEPS = 100;
const LEVEL = 0.95;

export function deviationOption(): Option {
  return new Option('--deviation <which>', 'sample (n − 1 in the denominator) or population (n)').choices([
    'sample',
    'population',
  ]);
}

export function addFormat(command: Command): Command {
  return command
    .addOption(
      new Option('-f, --format <format>', 'text, markdown, html, csv or json')
        .choices(['text', 'markdown', 'html', 'csv', 'json'])
        .default('text'),
    )
    .option('--json', 'short for --format json');
}

export function addAccount(command: Command): Command {
  return addFormat(command).option('-o, --output <file>', 'write to this file instead of stdout');
}

/** How the numbers are judged, and what the account says beside them. */
export interface AccountRules {
  readonly deviation: Deviation;
  readonly limit: number;
  readonly pairs: number;
  readonly metric: string;
}

/** The account of what was read. @throws AssayError `usage` where nothing was */
export async function showVariance(
  imported: Imported,
  { deviation, limit, pairs, metric }: AccountRules,
  of: Pick<VarianceInput, 'title' | 'source'>,
  flags: AccountFlags,
  { streams }: CommandContext,
): Promise<void> {
  const { studyVariance } = await import('../storage/variance.ts');
  const { assayVersion } = await import('../io/version.ts');
  const studied = studyVariance(imported.series, { steps: imported.steps, deviation, limit, level: LEVEL });
  const input: VarianceInput = {
    assay: assayVersion(),
    ...{ metric, pairs, imported, ...of },
    variance: { ...studied, warnings: [...imported.warnings, ...studied.warnings] },
  };
  const file = flags.output !== undefined;
  const look = { color: !file && streams.outColor, width: file ? 120 : streams.width };
  const text = await written(input, flags.json === true ? 'json' : flags.format, look);
  if (flags.output === undefined) {
    streams.out(text);
  } else {
    const { writeOutput } = await import('../io/atomic-file.ts');
    await writeOutput(flags.output, text, 'with -o');
  }
}

async function written(
  input: VarianceInput,
  format: AccountFlags['format'],
  look: { readonly color: boolean; readonly width: number },
): Promise<string> {
  if (format === 'json') {
    const { varianceDocument } = await import('../report/variance-json.ts');
    return `${JSON.stringify(varianceDocument(input), null, 2)}\n`;
  }
  if (format === 'html') return (await import('../report/html/variance-page.ts')).variancePage(input);
  const { varianceCsv, varianceMarkdown, varianceText } = await import('../report/variance-formats.ts');
  return format === 'csv'
    ? varianceCsv(input)
    : format === 'markdown'
      ? varianceMarkdown(input)
      : varianceText(input, look);
}

/** Where nothing could be read, in the words of the command. */
interface Nothing {
  readonly where: string;
  readonly remedy: string;
  /** What to do where results have other metrics. */
  readonly metric: string;
}

/** A table of nothing would look like a result. */
export function refuseNothing(imported: Imported, metric: string, nothing: Nothing): void {
  if (imported.steps.length > MOST_STEPS) {
    throw usage(`the files have ${imported.steps.length} steps`, 'Name those that count with --steps.');
  }
  if (imported.read.length === 0) {
    const [first] = imported.ignored;
    const others = imported.ignored.length > 1 ? `; files that are ignored: ${imported.ignored.length}` : '';
    const more = first === undefined ? 'it has no files' : `${first.path} ${first.reason}${others}`;
    throw usage(`no results can be read ${nothing.where}: ${more}`, nothing.remedy);
  }
  for (const step of imported.steps) {
    if (imported.series.some((one) => one.step === step && one.values.length + one.missing > 0)) continue;
    throw usage(`no file has the step ${step}`, `There are: ${listed(imported.found)}.`);
  }
  if (imported.series.every(({ values }) => values.length === 0)) {
    throw usage(`no file has a number in the column ${metric}`, nothing.metric);
  }
}

export function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}

export function stepNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const plain = names.every((name) => /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,16}$/.test(name));
  if (plain && names.length <= MOST_STEPS && new Set(names).size === names.length) return names;
  throw new InvalidArgumentError('Expected different names with commas between them, such as fillseq,readrandom.');
}

export function limitValue(text: string): number {
  const value = text.endsWith('%') ? parseFraction(text) : /^\d{1,3}(\.\d{1,12})?$/.test(text) ? Number(text) : null;
  if (value !== null && value > 0) return value;
  throw new InvalidArgumentError('Expected a fraction such as 0.03, or a percentage such as 3%.');
}
