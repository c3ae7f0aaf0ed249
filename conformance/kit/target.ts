/** The deployment under test: `target.schema.json` describes the file. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface Target {
  readonly service: { readonly url: string; readonly direct?: boolean };
  readonly indexer?: { readonly url: string };
  readonly ledger?: { readonly url: string };
  /** A module that makes the fixtures, from the folder of the file; Clockproof's unless given. */
  readonly adapter?: string;
  /** Settings of that module. */
  readonly adapter_settings?: Readonly<Record<string, unknown>>;
  readonly super_admin?: { readonly email: string; readonly password: string; readonly totp_secret: string };
  readonly extensions?: readonly { readonly key: string; readonly scopes: readonly string[] }[];
  readonly proofs?: readonly {
    readonly tx: string;
    readonly sender: string;
    readonly company_token: string;
    readonly period: string;
    readonly merkle_root: string;
  }[];
}

/** The folder `conformance/`, from source and when compiled. */
export const root = (() => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '..');
  return folder.endsWith('dist') ? join(folder, '..') : folder;
})();

export const kitVersion = (): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;

/** @throws Error the file is missing, is not JSON or does not match the schema; the message contains no value */
export function readTarget(file: string): Target {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
  let target: Target;
  try {
    target = JSON.parse(text) as Target;
  } catch {
    throw new Error(`${file} is not JSON; ${join(root, 'target.schema.json')} describes it`);
  }
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile(JSON.parse(readFileSync(join(root, 'target.schema.json'), 'utf8')));
  if (!validate(target)) {
    const [error] = validate.errors ?? [];
    throw new Error(
      `${file} is not a target: ${error?.instancePath || '/'} ${error?.message ?? ''}; ${join(root, 'target.schema.json')} describes it`,
    );
  }
  return target;
}
