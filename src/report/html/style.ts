/** The style sheet of the page. Fonts are the system's own; nothing is fetched. */
import { html } from './markup.ts';

/** Colours are Okabe and Ito's (2008), darkened or lightened until they can be read on the page. */
export const STYLE = html`<style>
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --soft: #56606b; --rule: #d8dde3; --panel: #f5f7f9;
  --zero: #1b1f24; --limit: #8a5a00; --mean: #6a3d9a; --interval: #e9e2f3; --margin: #e3eee9; --noise: #6b7783; --bar: #7fb5d8;
  --faint: #8b95a1; --shade: #aab3bd; --rejected: #b3261e;
  --slower: #b34a00; --faster: #0063a3; --equivalent: #00735a; --undecided: #56606b;
  --arm-0: #56606b; --arm-1: #0072b2; --arm-2: #c04f00; --arm-3: #00795c; --arm-4: #a8508a; --arm-5: #946300;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --ink: #e4e8ec; --soft: #a3adb8; --rule: #333a43; --panel: #1c2127;
    --zero: #e4e8ec; --limit: #d9a441; --mean: #c3a2f0; --interval: #473a63; --margin: #24493c; --noise: #8793a0; --bar: #35719a;
    --faint: #77828e; --shade: #4a535e; --rejected: #ff8a80;
    --slower: #ff9a57; --faster: #6cb8f0; --equivalent: #4fc3a1; --undecided: #a3adb8;
    --arm-0: #a3adb8; --arm-1: #56b4e9; --arm-2: #f08a3c; --arm-3: #3ec79b; --arm-4: #dd8fc0; --arm-5: #e6b54a;
  }
}
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --panel: #ffffff;
    --zero: #000000; --limit: #8a5a00; --mean: #6a3d9a; --interval: #e9e2f3; --margin: #e3eee9; --noise: #666666; --bar: #7fb5d8;
    --faint: #888888; --shade: #ffffff; --rejected: #b3261e;
    --slower: #b34a00; --faster: #0063a3; --equivalent: #00735a; --undecided: #56606b;
    --arm-0: #56606b; --arm-1: #0072b2; --arm-2: #c04f00; --arm-3: #00795c; --arm-4: #a8508a; --arm-5: #946300;
  }
}
* { box-sizing: border-box; }
html { background: var(--page); color: var(--ink); font: 16px/1.5 var(--sans); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: pretty; font-weight: 650; }
h1 { font-size: 1.6rem; margin: .4rem 0 .9rem; letter-spacing: -.01em; max-width: 52rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .8rem; padding-top: .7rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
h4 { font-size: .95rem; margin: 0 0 .3rem; }
p, ul, dl { margin: .5rem 0; max-width: 46rem; }
ul { padding-left: 1.2rem; }
li { margin: .2rem 0; }
code, pre { font-family: var(--mono); font-size: .88em; unicode-bidi: isolate; }
h1 code, h2 code, h3 code { font-size: .92em; }
.kept { white-space: nowrap; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: .6rem .75rem; margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--faint); text-underline-offset: .18em; }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--faster); outline-offset: 2px; }
.kicker, .about { color: var(--soft); }
.kicker { font-size: .85rem; margin: 0; }
nav { font-size: .85rem; margin: 1.6rem 0 0; color: var(--soft); }
nav ul { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; max-width: none; }
.state { border-left: 4px solid var(--slower); background: var(--panel); padding: .6rem .9rem; font-weight: 600; }
.figures { display: flex; flex-wrap: wrap; gap: .8rem 1.9rem; margin: 1.2rem 0; padding: .9rem 0; border-block: 1px solid var(--rule); max-width: none; font-variant-numeric: tabular-nums; }
.figures dt { font-size: .8rem; color: var(--soft); }
.figures dd { margin: 0; font-size: 1.1rem; font-weight: 600; }
.findings { list-style: none; padding: 0; }
.findings li { margin: .5rem 0; display: flex; gap: .55rem; align-items: baseline; }
.findings .key { position: relative; top: .08em; }
.chip { color: var(--verdict); font-weight: 650; white-space: normal; }
.chip .key { vertical-align: -.05em; margin-right: .35em; }
.verdict { font-size: 1.3rem; margin: 1.1rem 0 0; }
.verdict + h1 { margin-top: .1rem; }
/* Where more lies to a side there is a shade at that edge; it goes where the end is reached. */
.box {
  overflow-x: auto; margin: .6rem 0;
  background:
    linear-gradient(to right, var(--page) 30%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--page) 30%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / .9rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / .9rem 100% no-repeat scroll;
}
table { border-collapse: collapse; font-size: .85rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
th, td { padding: .32rem .7rem .32rem 0; text-align: left; vertical-align: baseline; font-weight: 400; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
td:where(:not(.right)):last-child { white-space: normal; min-width: 5.5rem; }
thead th { white-space: normal; overflow-wrap: break-word; color: var(--soft); font-size: .8rem; vertical-align: bottom; border-bottom: 1px solid var(--faint); }
th.wrap, td.wrap, .facts td { white-space: normal; min-width: 9rem; overflow-wrap: anywhere; }
.facts th { color: var(--soft); white-space: normal; width: 15rem; }
.facts { width: 100%; }
.right { text-align: right; }
.primary th { font-weight: 650; }
.notes { font-size: .85rem; color: var(--soft); }
figure { margin: 1.4rem 0 2rem; }
figcaption { font-size: .82rem; color: var(--soft); }
figcaption p { margin: .25rem 0 0; }
.plot { display: block; width: 100%; min-width: 44rem; height: auto; font: 12px var(--sans); font-variant-numeric: tabular-nums; overflow: visible; }
.plot text { white-space: pre; }
.key { flex: none; overflow: visible; }
.legend { list-style: none; padding: 0; margin: .3rem 0; display: flex; flex-wrap: wrap; gap: .15rem 1.2rem; max-width: none; }
.legend li { display: flex; align-items: center; gap: .45rem; margin: 0; }
.warning { margin: 1rem 0; }
.warning p { margin: .15rem 0; }
details { margin: .5rem 0 1rem; font-size: .85rem; }
summary { cursor: pointer; color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--rule); font-size: .82rem; color: var(--soft); }
@media (max-width: 40rem) {
  main { padding: 1.2rem .9rem 3rem; }
  h1 { font-size: 1.25rem; }
  h2 { margin-top: 2.2rem; }
  .facts th { width: 8rem; }
  thead th { white-space: nowrap; }
  td.wrap, td:where(:not(.right)):last-child { min-width: 13rem; }
  /* What a row is about stays in sight. */
  tbody th, thead th:first-child { position: sticky; left: 0; background: var(--page); }
  tbody th.wrap { position: static; min-width: 13rem; }
}
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 10.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  nav, details:not([open]) { display: none; }
  h2, h3, h4 { break-after: avoid; }
  h2 { margin-top: 1.6rem; }
  p:has(+ .box), p:has(+ pre) { break-after: avoid; }
  figure, tr, .warning, .findings li { break-inside: avoid; }
  .box { overflow: visible; background: none; break-inside: avoid; }
  .plot { min-width: 0; }
  table { font-size: 8pt; }
  th, td { white-space: normal; padding-right: .5rem; }
}
</style>`;
