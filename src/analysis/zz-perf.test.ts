import { test } from 'vitest';
import { signTest } from '/work/main/src/analysis/stats/exact-counts.ts'; import { hodgesLehmann } from '/work/main/src/analysis/stats/hodges-lehmann.ts'; import { signedRankTest } from '/work/main/src/analysis/stats/signed-rank.ts'; import { detectableShift } from '/work/main/src/analysis/stats/power.ts'; import { progressOf } from '/work/main/src/plan/progress.ts';
import { journalOf } from '/work/main/test/journal-builder.ts';
import { analyse } from '/work/main/src/analysis/analyse.ts';
test('perf', () => {
  let s = 1; const r = () => { s = (s * 1103515245 + 12345) % 2147483648; return s / 2147483648; };
  for (const n of [1000, 100000, 500000]) {
    const j = journalOf({ values: { wall: { a: Array.from({length:n},()=>1e9*(1+0.01*r())), b: Array.from({length:n},()=>1e9*(1+0.01*r())) } } });
    const t = performance.now(); analyse(j); console.log(n, performance.now() - t); const d = Array.from({length:n},()=>r()-.5); for (const [name, f] of Object.entries({signTest: () => signTest(n/2, n/2), hl: () => hodgesLehmann(d), wil: () => signedRankTest(d), det: () => detectableShift(1, n, .8, .05), prog: () => progressOf(j)})) { const t = performance.now(); f(); console.log('  ', name, performance.now() - t); }
  }
}, 600000);
