/** One page that needs nothing else: no script, no font, no request. */
import { type Html, html, markupOf } from './markup.ts';
import { STYLE } from './style.ts';
import { plain, rich } from './text.ts';

interface Page {
  readonly title: string;
  /** Above the list of sections. */
  readonly opening: Html;
  readonly sections: readonly { readonly id: string; readonly title: string; readonly parts: readonly Html[] }[];
  readonly footer: string;
}

export function pageOf({ title, opening, sections, footer }: Page): string {
  const links = sections.map((section) => html`<li><a href="${`#${section.id}`}">${plain(section.title)}</a></li>\n`);
  return markupOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${STYLE}
</head>
<body>
<main>
${opening}
<nav aria-label="Sections"><ul>${links}</ul></nav>
${sections.map((section) => html`<section id="${section.id}">\n<h2>${rich(section.title)}</h2>\n${section.parts}</section>\n`)}
<footer>${footer}</footer>
</main>
</body>
</html>
`);
}
