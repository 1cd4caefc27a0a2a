/** Whether it mattered which engine ran first, in words. */
import type { SizedOrderEffect, SizeFindings } from '../storage/engines/analysis.ts';
import { FIGURES } from '../storage/engines/figures.ts';
import type { EnginesSection } from './engines.ts';
import type { EnginesInput } from './engines-input.ts';
import { changeScale, counted, formatInterval, formatNumber, formatShare, formatSigned } from './numbers.ts';
import { say } from './rules.ts';
import { listed, type Writer } from './writer.ts';

export function orderSection<Part>({ findings }: EnginesInput, writer: Writer<Part>): EnginesSection<Part> {
  const alpha = formatShare(1 - findings.study.level);
  const items = findings.sizes.flatMap((found) => [...effectTexts(found, alpha, writer), ...placeTexts(found, writer)]);
  return { title: 'Whether the order mattered', parts: listed(writer, items) };
}

function effectTexts(
  { size, blocks, orders }: SizeFindings,
  alpha: string,
  { escaping }: Writer<unknown>,
): readonly string[] {
  const name = escaping.name(size.name);
  const { tested, families, not_null, largest, conflicts } = orders;
  if (tested === 0) return [say('engines.no-order-effects', { size: name, blocks: counted(blocks, 'block') })];
  const words = (one: SizedOrderEffect) => {
    const scale = changeScale(one.effect, one.interval, { factor: 1, suffix: ` ${unitOf(one)}` });
    const [low, high] = one.interval;
    return {
      figure: FIGURES.find(({ key }) => key === one.figure)?.title ?? one.figure,
      ...{ engine: escaping.name(one.engine), other: escaping.name(one.other) },
      ...(one.scale === 'ratio'
        ? { effect: timesText(one.effect), interval: `[${timesText(low)}, ${timesText(high)}]` }
        : { effect: formatSigned(one.effect, scale), interval: formatInterval(one.interval, scale) }),
    };
  };
  const of = say(not_null > 0 ? 'engines.largest-found' : 'engines.largest-tested', {});
  return [
    say('engines.order-effects', {
      ...{ size: name, tested: String(tested), families: String(families), count: countText(not_null), alpha },
      largest: largest === null ? '' : say('engines.largest-order', { of, ...words(largest) }),
    }).trimEnd(),
    ...conflicts.map((one) => say('engines.conflict', { size: name, ...words(one) })),
  ];
}

/** As factors: percentages of what few blocks leave open run from nearly -100 to many thousands. */
function timesText(change: number): string {
  return `${formatNumber(1 + change)}x`;
}

function countText(count: number): string {
  if (count === 0) return 'none is';
  return count === 1 ? '1 is' : `${count} are`;
}

function unitOf({ figure }: SizedOrderEffect): string {
  return FIGURES.find(({ key }) => key === figure)?.unit ?? '';
}

function placeTexts({ size, blocks, orders, figures }: SizeFindings, { escaping }: Writer<unknown>): readonly string[] {
  const { told_apart, keep, one_order, could_change } = orders;
  if (told_apart === 0) return [];
  const shows =
    could_change === 0
      ? say('engines.orders-few', { blocks: counted(blocks, 'block') })
      : say('engines.orders-some', {
          count: could_change === told_apart ? 'all' : String(could_change),
          others: could_change === told_apart ? '' : say('engines.pair-others', {}),
        });
  const name = escaping.name(size.name);
  const changed = figures.flatMap(({ kind, orders: { changed: pairs } }) =>
    pairs.map(([engine, other]) =>
      say('engines.changed', {
        ...{ size: name, figure: kind.title, engine: escaping.name(engine), other: escaping.name(other) },
      }),
    ),
  );
  return [
    say('engines.orders', {
      ...{ size: name, apart: String(told_apart), keep: String(keep), shows },
      untested: one_order === 0 ? '' : say('engines.untested', { count: String(one_order) }),
    }),
    ...changed,
  ];
}
