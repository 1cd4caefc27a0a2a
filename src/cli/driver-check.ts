import type { Command } from 'commander';
import { padEnd, wrap } from '../report/plain-text.ts';
import type { DriverCheck } from '../trial/driver-check.ts';
import { wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';

/** Of its own: the driver breaks a rule. */
const BREAKS_A_RULE = 1;

export function registerDriverCheck(program: Command, context: CommandContext): void {
  program
    .command('driver-check')
    .description('check that a driver works in slices as docs/slices.md says: starts it, and plays a session')
    .argument('<command...>', 'the driver and its arguments, without --serve; {dir} is an empty directory')
    .option('--timeout <seconds>', 'most seconds for one answer', wholeNumber(1, 86_400), 60)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Exit codes:
  0  it keeps to the protocol
  1  it breaks a rule, or does not work in slices
  2  wrong usage, or it cannot be started

Examples:
  assay driver-check -- ./my-driver --records 100000
  assay driver-check --json -- node driver.js {dir}`,
    )
    .action(async (command: [string, ...string[]], flags: { timeout: number; json?: boolean }) => {
      const { checkDriver } = await import('../trial/driver-check.ts');
      const check = await checkDriver(command, flags.timeout * 1000);
      context.streams.out(flags.json === true ? `${JSON.stringify(check, null, 2)}\n` : checkText(check));
      if (!check.findings.every(({ ok }) => ok)) context.exit(BREAKS_A_RULE);
    });
}

/** One line a rule, wrapped, with the remedy below those that are broken; and the conclusion. */
function checkText({ sliceable, findings }: DriverCheck): string {
  const width = Math.max(...findings.map(({ rule }) => rule.length));
  const lines = findings.flatMap(({ rule, ok, message, remedy }) => {
    const head = `${ok ? 'ok ' : 'bad'}  ${padEnd(rule, width)}  `;
    const indent = ' '.repeat(head.length);
    return [...wrap(message, 100, head, indent), ...(remedy === null ? [] : wrap(remedy, 100, indent, indent))];
  });
  const conclusion = !sliceable
    ? 'it does not work in slices'
    : findings.every(({ ok }) => ok)
      ? 'it works in slices'
      : 'it does not keep to the protocol of slices';
  return `${[...lines, conclusion].join('\n')}\n`;
}
