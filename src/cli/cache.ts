import type { Command } from 'commander';
import { wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';

export function registerCache(program: Command, context: CommandContext): void {
  const { streams, env } = context;
  const cache = program
    .command('cache')
    .description('list or prune what Assay keeps between runs ($ASSAY_CACHE, else the XDG cache)')
    .addHelpText('after', '\nExamples:\n  assay cache list\n  assay cache prune --older-than 30');

  cache
    .command('list', { isDefault: true })
    .description('what is in the cache, the largest first')
    .option('--json', 'print JSON')
    .action(async (flags: { json?: boolean }) => {
      const { cacheDirectory, listCache } = await import('../io/cache.ts');
      const { formatBytes } = await import('../report/units.ts');
      const directory = cacheDirectory(env);
      const entries = (await listCache(directory)).toSorted((a, b) => b.bytes - a.bytes);
      if (flags.json === true) {
        streams.out(`${JSON.stringify({ directory, entries }, null, 2)}\n`);
        return;
      }
      streams.out(`${directory}\n`);
      for (const entry of entries) {
        const used = new Date(entry.last_used_unix_ms).toISOString().slice(0, 10);
        streams.out(`${formatBytes(entry.bytes).padStart(12)}  last used ${used}  ${entry.kind}  ${entry.name}\n`);
      }
      if (entries.length === 0) streams.out('  nothing yet\n');
    });

  cache
    .command('prune')
    .description('remove what has not been used for a while; it is made again when it is needed')
    .option('--older-than <days>', 'entries that were not used for so many days', wholeNumber(0, 36_500), 30)
    .option('--all', 'everything')
    .action(async (flags: { olderThan: number; all?: boolean }) => {
      const { cacheDirectory, pruneCache } = await import('../io/cache.ts');
      const { formatBytes } = await import('../report/units.ts');
      const removed = await pruneCache(cacheDirectory(env), {
        olderThanDays: flags.all === true ? 0 : flags.olderThan,
      });
      const bytes = removed.reduce((sum, entry) => sum + entry.bytes, 0);
      streams.out(`${removed.length} entries removed, ${formatBytes(bytes)}\n`);
    });
}
