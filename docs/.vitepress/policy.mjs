// What pages may run besides the files of the site: the inline scripts that VitePress writes, each by its hash. The
// server reads them from the build, so that its policy is never that of another version.
import { createHash } from 'node:crypto';

/** The text of each script that stands in a page itself. */
export const inlineScriptsOf = (html) =>
  [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)]
    .filter(([, attributes]) => !/\ssrc=/.test(attributes))
    .map(([, , text]) => text);

/** As Content-Security-Policy names a script. */
export const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** @param {string[]} pages their HTML */
export const policyOf = (pages) => ({ scripts: [...new Set(pages.flatMap(inlineScriptsOf).map(hashOf))].sort() });
