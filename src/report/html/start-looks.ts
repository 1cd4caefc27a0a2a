/** How marks of pairs and sessions show which arm went first. */
import type { ResultRow } from '../row.ts';
import type { Key } from './symbols.ts';

/** Of a mark that is drawn one by one. */
export function startLook(referenceFirst: boolean) {
  const color = referenceFirst ? 'var(--arm-0)' : 'var(--arm-1)';
  return {
    symbol: referenceFirst ? ('circle' as const) : ('square' as const),
    stroke: color,
    fill: referenceFirst ? 'var(--page)' : color,
    color,
  };
}

/** `dense`: marks are too many for shapes. */
export function startKeys(row: ResultRow, dense: boolean): readonly Key[] {
  const first = { color: startLook(true).color, shape: 'circle' } as const;
  const second = { color: startLook(false).color, shape: dense ? 'circle' : 'square' } as const;
  return [
    { kind: 'mark', look: first, filled: dense, text: `${row.reference} started first` },
    { kind: 'mark', look: second, filled: true, text: `${row.arm} started first` },
  ];
}
