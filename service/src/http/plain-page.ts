/**
 * A page without the application: its look in one style, allowed by hash, so that the page needs no file and no script.
 */
import { hash } from 'node:crypto';

// The colours and measures of web/src/parts (tokens.css, parts.css). Inter is shown if the reader has it; no file is
// loaded.
const style = [
  ':root{color-scheme:light dark}*{box-sizing:border-box}',
  'body{margin:0;background:light-dark(#f6f8f7,#0f1413);color:light-dark(#10201c,#e8eeec);font:14px/20px "Inter Variable",Inter,system-ui,sans-serif}',
  'header{display:flex;align-items:center;min-height:3.4rem;padding:.6rem 1rem;background:light-dark(#fff,#171e1c);border-bottom:1px solid light-dark(#e2e8e6,#27312e)}',
  '.brand{display:inline-flex;align-items:center;gap:.5rem;font-weight:700;font-size:1.1rem;color:inherit;text-decoration:none}',
  'main{max-width:40rem;margin:0 auto;padding:2rem 1rem 4rem}',
  '.sheet{padding:20px;background:light-dark(#fff,#171e1c);border:1px solid light-dark(#e2e8e6,#27312e);border-radius:8px}',
  'h1{margin:0 0 1rem;font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em}p{margin:0 0 1rem}p:last-child{margin:0}',
  'main a{color:light-dark(#0b5f59,#3fb8a4)}:focus-visible{outline:2px solid light-dark(#0b5f59,#3fb8a4);outline-offset:1px}',
  '@media (max-width:52rem){body{font-size:16px;line-height:24px}}',
].join('');

/** The source in `style-src` that allows the style of these pages. */
export const plainPageStyle = `'sha256-${hash('sha256', style, 'base64')}'`;

const sign =
  '<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="14" fill="#0b5f59"/><path d="M16 8v8l5 4" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>Clockproof';

export interface PlainPage {
  readonly language: PageLanguage;
  readonly title: string;
  /** HTML of our own, below the heading. */
  readonly content: string;
  /** True if the sign leads to the start page. */
  readonly leadsHome: boolean;
}

export function plainPage({ language, title, content, leadsHome }: PlainPage): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Clockproof</title>
<style>${style}</style>
</head>
<body>
<header>${leadsHome ? `<a class="brand" href="/">${sign}</a>` : `<span class="brand">${sign}</span>`}</header>
<main><div class="sheet"><h1>${title}</h1>${content}</div></main>
</body>
</html>
`;
}

const languages = ['de', 'en'] as const;
export type PageLanguage = (typeof languages)[number];

/** @param acceptLanguage as it came (RFC 9110 §12.5.4). @returns the best match of ours; English if there is none */
export function languageFor(acceptLanguage: string | undefined): PageLanguage {
  const ranges = (acceptLanguage ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return { language: languages.find((language) => tag === language || tag.startsWith(`${language}-`)), weight };
  });
  return (
    ranges.filter(({ language, weight }) => language !== undefined && weight > 0).sort((a, b) => b.weight - a.weight)[0]
      ?.language ?? 'en'
  );
}
