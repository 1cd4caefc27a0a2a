/** The HTML report in a real Chromium: nothing is asked for, nothing fails, and it can be read everywhere. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/analyse.ts';
import type { Journal } from '../../src/journal/records.ts';
import { replayJournal } from '../../src/journal/replay.ts';
import { htmlReport } from '../../src/report/html/report.ts';
import { fiveArms, manyTrials, REPORT_CASES } from '../report-cases.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const RECORDED = fileURLToPath(new URL('../recorded/rocksdb-versions/journal.jsonl', import.meta.url));

const PAGES: Readonly<Record<string, () => Journal>> = {
  recorded: () => replayJournal(RECORDED).journal,
  'five-arms': fiveArms,
  'many-trials': () => manyTrials(1000, 3),
  ...Object.fromEntries(
    [
      ...['slower', 'several-primaries', 'rejected', 'failed', 'extremes', 'exact', 'hostile'],
      ...['counters', 'counted', 'counted-ranged', 'counted-hostile', 'machine-code'],
      ...['sessions', 'sequential', 'sequential-sessions'],
    ].map((name) => [name, () => caseOf(name)]),
  ),
};

function caseOf(name: string): Journal {
  const build = REPORT_CASES[name];
  if (build === undefined) throw new Error(`no case ${name}`);
  return build();
}

let directory: string;
let browser: Browser;

beforeAll(async () => {
  if (!FULL) return;
  directory = mkdtempSync(join(tmpdir(), 'assay-page-'));
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  const root = process.getuid?.() === 0;
  browser = await chromium.launch({ executablePath, args: root ? ['--no-sandbox'] : [] });
});
afterAll(async () => {
  if (!FULL) return;
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Opens the page of a run; what it asked for and what went wrong is listed. */
async function opened(
  name: string,
  options: BrowserContextOptions,
  look: (
    page: Page,
    seen: { readonly requests: readonly string[]; readonly problems: readonly string[] },
  ) => Promise<void>,
): Promise<void> {
  const path = join(directory, `${name}.html`);
  const journal = PAGES[name]?.();
  if (journal === undefined) throw new Error(`no page ${name}`);
  const report = { color: false, quiet: false, width: 120 };
  writeFileSync(
    path,
    htmlReport({ journal, analysis: analyse(journal), directory: 'assay-runs/run', options: report }),
  );
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const requests: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.goto(pathToFileURL(path).href);
    await look(page, { requests, problems });
  } finally {
    await context.close();
  }
}

const PHONE = { viewport: { width: 360, height: 740 } };
const DESK = { viewport: { width: 1200, height: 900 } };

/** Expressions are text, for the page has another world's types. */
async function number(page: Page, expression: string): Promise<number> {
  return Number(await page.evaluate(expression));
}

describe.runIf(FULL).each(Object.keys(PAGES))('%s', (name) => {
  test('asks for nothing but itself, says nothing on the console, and every plot has a name', () =>
    opened(name, DESK, async (page, { requests, problems }) => {
      expect(problems).toEqual([]);
      expect(requests).toEqual([pathToFileURL(join(directory, `${name}.html`)).href]);
      const plots = await number(page, `document.querySelectorAll('svg.plot').length`);
      expect(plots).toBeGreaterThan(0);
      expect(await page.getByRole('img', { name: /\w/ }).count()).toBe(plots);
    }));

  test('does not scroll sideways on a phone, nor on paper', () =>
    opened(name, PHONE, async (page) => {
      const over = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;
      expect(await number(page, over)).toBe(0);
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize({ width: 700, height: 900 });
      const wide = `Math.max(...[...document.querySelectorAll('svg.plot')].map((svg) => svg.getBoundingClientRect().right))`;
      expect(await number(page, wide)).toBeLessThanOrEqual(701);
    }));

  test('labels of axes do not lie on each other', () =>
    opened(name, DESK, async (page) => {
      const overlaps = await page.evaluate(`[...document.querySelectorAll('svg.plot')].flatMap((svg) => {
        const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim() !== '');
        const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
        return boxes.flatMap(([a, one], index) => boxes.slice(index + 1).flatMap(([b, other]) => {
          const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
          const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
          return wide > 1 && high > 4 ? [a + ' on ' + b + ' in ' + svg.querySelector('title').textContent] : [];
        }));
      })`);
      expect(overlaps).toEqual([]);
    }));
});

describe.runIf(FULL)('colours', () => {
  const background = `getComputedStyle(document.documentElement).backgroundColor`;

  test('dark where the reader has it dark, and light on paper all the same', () =>
    opened('slower', { ...DESK, colorScheme: 'dark' }, async (page) => {
      expect(await page.evaluate(background)).toBe('rgb(20, 23, 27)');
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate(background)).toBe('rgb(255, 255, 255)');
      expect(await page.getByRole('navigation').isVisible()).toBe(false);
      expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    }));

  test('light otherwise', () =>
    opened('slower', { ...DESK, colorScheme: 'light' }, async (page) => {
      expect(await page.evaluate(background)).toBe('rgb(255, 255, 255)');
    }));

  test.each(['light', 'dark'] as const)('text can be read: %s', (colorScheme) =>
    opened('several-primaries', { ...DESK, colorScheme }, async (page) => {
      // Contrast by WCAG 2.2: relative luminance, 4.5 to 1.
      const least = await number(
        page,
        `(() => {
          const luminance = (color) => {
            const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const page = luminance(getComputedStyle(document.documentElement).backgroundColor);
          return Math.min(...[...document.querySelectorAll('h1,p,td,th,dt,dd,li,code,summary,.chip,.plot text')].map((element) => {
            const style = getComputedStyle(element);
            const own = luminance(element.localName === 'text' ? style.fill : style.color);
            return (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
          }));
        })()`,
      );
      expect(least).toBeGreaterThan(4.5);
    }),
  );
});
