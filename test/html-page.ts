/** Pages of the HTML report, read as a reader does: what stands in them, from top to bottom. */
import { parseHTML } from 'linkedom';

/** The little of a DOM that is read here. */
export interface PageElement {
  readonly localName: string;
  readonly textContent: string | null;
  readonly children: Iterable<PageElement>;
  readonly nextElementSibling: PageElement | null;
  getAttribute(name: string): string | null;
  getAttributeNames(): string[];
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>;
}

/** The root of a page. */
export function pageElement(page: string): PageElement {
  return parseHTML(page).document.documentElement;
}

function textOf(element: PageElement): string {
  return (element.textContent ?? '').replace(/\s+/g, ' ').trim();
}

function cellsOf(row: PageElement): string {
  return [...row.children].map(textOf).join(' | ');
}

function countOf(svg: PageElement): string {
  const kinds = ['circle', 'path', 'line', 'rect', 'text'];
  return kinds.map((kind) => `${svg.querySelectorAll(kind).length} ${kind}`).join(', ');
}

function lineOf(element: PageElement): string | null {
  switch (element.localName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
      return `\n${'#'.repeat(Number(element.localName.slice(1)))} ${textOf(element)}`;
    case 'p':
    case 'pre':
    case 'summary':
      return `${element.localName}: ${textOf(element)}`;
    case 'li':
      return `- ${textOf(element)}`;
    case 'dt':
      return `${textOf(element)}: ${textOf(element.nextElementSibling ?? element)}`;
    case 'tr':
      return `| ${cellsOf(element)} |`;
    case 'footer':
      return `\n${textOf(element)}`;
    default:
      return null;
  }
}

/** The page as lines of text: headings, sentences, rows of tables, and what each plot says of itself and holds. */
export function outlineOf(page: string): string {
  const root = pageElement(page);
  const lines: string[] = [`title: ${textOf(root.querySelector('title') ?? root)}`];
  for (const element of root.querySelectorAll('body *')) {
    if (element.closest('svg') === null) {
      const line = lineOf(element);
      if (line !== null) lines.push(line);
    } else if (element.getAttribute('role') === 'img') {
      const [name, description] = ['title', 'desc'].map((one) => textOf(element.querySelector(one) ?? element));
      lines.push(`plot: ${name}: ${description}`, `  drawn: ${countOf(element)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
