/** The vectors of `vectors/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../kit/target.js';

export interface Case {
  readonly name: string;
  readonly why: string;
  readonly input: Readonly<Record<string, string>>;
  readonly output: Readonly<Record<string, unknown>>;
}
export const folder = join(root, 'vectors');
export const files = readdirSync(folder).filter((file) => file.endsWith('.json') && !file.includes('schema'));
export const cases = (kind: string): readonly Case[] =>
  (JSON.parse(readFileSync(join(folder, `${kind}.json`), 'utf8')) as { cases: Case[] }).cases;
