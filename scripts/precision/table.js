/** What the methods found, as a table of Markdown, and its place in a page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { median } from '../../dist/analysis/stats/moments.js';

export const percent = (fraction) => `${Number((100 * fraction).toPrecision(2))} %`;

/** Of ten runs, `0 of 10`: wrong where there is no cost is any direction, elsewhere what is not called slower. */
function wrongOf({ cost, found }) {
  const wrong = found.filter(({ verdict }) => (cost === 0 ? verdict !== 'inconclusive' : verdict !== 'slower'));
  return `${wrong.length} of ${found.length}`;
}

/** How often the interval held the cost. */
function coveredOf({ cost, found }) {
  if (found.every(({ interval: [low, high] }) => low === high)) return '';
  const held = found.filter(({ interval: [low, high] }) => low <= cost && cost <= high);
  return `${held.length} of ${found.length}`;
}

function rowOf(cell) {
  const { name, cost, units, found, seconds } = cell;
  const half = median(found.map(({ interval: [low, high] }) => (high - low) / 2));
  const change = median(found.map((each) => each.change));
  const [falsely, missed] = cost === 0 ? [wrongOf(cell), ''] : ['', wrongOf(cell)];
  const width = half === 0 ? 'exact' : `± ${percent(half)}`;
  const cells = [name, percent(cost), units, `${median(seconds).toFixed(1)} s`, width, percent(change)];
  return `| ${[...cells, falsely, missed, coveredOf(cell)].join(' | ')} |`;
}

/** How much narrower slices are than pairs of processes, where nothing differs. */
function narrowerBy(cells) {
  const halfOf = (wanted) => {
    const { found } = cells.find(({ name, cost }) => name === wanted && cost === 0);
    return median(found.map(({ interval: [low, high] }) => (high - low) / 2));
  };
  return `Without a cost, the median half-width of slices is ${(halfOf('pairs of processes') / halfOf('slices')).toFixed(1)} times narrower than that of pairs of processes.`;
}

/** The machine's noise before and after, then a line for each method and cost. */
export function tableOf({ budget, repetitions, noise, cells }) {
  const [before, after] = noise.map(({ probe }) => probe);
  const spread = [before, after].map((probe) => (probe?.sd === undefined ? 'unknown' : percent(probe.sd)));
  return [
    `${noise[0].machine}. ${repetitions} repetitions of about ${budget} s for each method and cost. Pairs of a loop of 0.2 s spread by ${spread.join(' before, and by ')} after.`,
    '',
    '| method | known cost | units | time | half-width | change | false | missed | interval holds the cost |',
    '|---|---|---|---|---|---|---|---|---|',
    ...cells.map(rowOf),
    '',
    narrowerBy(cells),
  ].join('\n');
}

/** Puts the table between the marks `<!-- table: NAME -->` and `<!-- end -->`. */
export function writeTable(path, name, table) {
  const text = readFileSync(path, 'utf8');
  const mark = `<!-- table: ${name} -->\n`;
  const start = text.indexOf(mark);
  const end = text.indexOf('<!-- end -->', start);
  if (start === -1 || end === -1) throw new Error(`${path} has no place for the table: ${mark}`);
  writeFileSync(path, `${text.slice(0, start + mark.length)}\n${table}\n\n${text.slice(end)}`);
}
