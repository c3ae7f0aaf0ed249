/**
 * The licences of the packages in an archive. A package without a licence text, or with a licence not listed here,
 * fails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that allow shipping with this product if their text is shipped too. */
const acceptedLicences = [
  '(ISC AND CC-BY-3.0)',
  '0BSD',
  'Apache-2.0',
  'Bitstream-Vera',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];

/** Packages whose manifest names no SPDX licence; see their LICENSE file. */
const licenceByPackage = { 'dejavu-fonts-ttf': 'Bitstream-Vera', 'png-js': 'MIT' };

/** Packages under MIT that carry no licence text: the copyright that stands above the text. */
export const copyrightHolders = {
  '@node-rs/argon2-linux-arm64-gnu': 'Copyright (c) 2020-present LongYinan',
  '@node-rs/argon2-linux-x64-gnu': 'Copyright (c) 2020-present LongYinan',
  '@docsearch/css': 'Copyright (c) Algolia, Inc. and contributors',
  brotli:
    'Copyright (c) Devon Govett\nThe decoder is Copyright 2013 Google Inc., under the Apache License 2.0 (see LICENSE).',
  dfa: 'Copyright (c) Devon Govett',
  fontkit: 'Copyright (c) 2014-present Devon Govett',
  'pg-types': 'Copyright (c) 2014 Brian M. Carlson',
  pgpass: 'Copyright (c) 2013-2016 Hannes Hörl',
  'qrcode-generator': 'Copyright (c) 2009 Kazuhiko Arase',
  'react-remove-scroll-bar': 'Copyright (c) 2025 Anton Korzunov <thekashey@gmail.com>',
};

const mit = readFileSync(new URL('licences/MIT.txt', import.meta.url), 'utf8');
const licenceFile = /^(un)?licen[cs]e|^copying|^notice|^swagger-ui-bundle\.js\.license/i;

/** @param {string} folder of an installed package */
export function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version } = manifest;
  const licence = licenceByPackage[name] ?? manifest.license;
  if (!acceptedLicences.includes(licence)) throw new Error(`${name} ${version} has an unknown licence: ${licence}`);
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  const texts = files
    .map((file) => file.name)
    .filter((file) => licenceFile.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0 && licence === 'MIT' && name in copyrightHolders)
    texts.push(`${copyrightHolders[name]}\n\n${mit.trim()}`);
  if (texts.length === 0) throw new Error(`${name} ${version} has no licence text`);
  return { name, version, licence, texts };
}

/** @param {ReturnType<typeof readPackage>[]} packages */
export function noticeOf(packages) {
  const sections = new Map(
    packages.map(({ name, version, licence, texts }) => [
      `${name} ${version}`,
      `${'='.repeat(80)}\n${name} ${version}, ${licence}\n\n${texts.join('\n\n')}\n`,
    ]),
  );
  const head = `Clockproof is licensed under the Apache License 2.0 (see LICENSE). This archive contains the packages and fonts below.
Some are part of the pages and the documentation, the others are in node_modules.
`;
  return [head, ...[...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => section)].join('\n');
}
