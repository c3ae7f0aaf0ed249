/**
 * `data/demo/target.json`: addresses and every credential of a deployment, so that tools can drive it. Its form is
 * `conformance/target.schema.json`; another deployment writes the same file and is driven the same way.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface TargetUser {
  readonly id: number;
  readonly first_name: string;
  readonly email: string;
  readonly password: string;
  readonly totp_secret: string;
  readonly role: string;
  readonly department: string;
}
export interface TargetCompany {
  readonly id: number;
  readonly name: string;
  readonly users: readonly TargetUser[];
}
export interface TargetExtension {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly mode: 'api' | 'webhooks' | 'websocket';
  readonly acting: 'personal_link' | 'everyone';
  readonly company_id: number | null;
  readonly leading: boolean;
  readonly redirect_uris: readonly string[];
  readonly webhook_secret: string | null;
}
export interface TargetTerminal {
  readonly id: string;
  readonly name: string;
  readonly company_id: number /** base64 of the 32-byte seed */;
  readonly private_key: string;
  readonly confirmed: boolean;
}
export interface TargetBadge {
  readonly id: string;
  readonly user_id: number;
  readonly uid: string;
  readonly family: 'desfire' | 'ntag424';
  readonly aid: string;
  readonly key_number: number /** 16 bytes, hex */;
  readonly key: string;
}
export interface TargetProof {
  readonly tx: string;
  readonly sender: string;
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
}

export interface Target {
  /** `direct` if no proxy stands in front. */
  readonly service: { readonly url: string; readonly direct?: boolean };
  readonly indexer: { readonly url: string };
  readonly ledger: { readonly url: string };
  readonly super_admin: { readonly email: string; readonly password: string; readonly totp_secret: string };
  readonly companies: readonly TargetCompany[];
  readonly extensions: readonly TargetExtension[];
  readonly terminals: readonly TargetTerminal[];
  readonly badges: readonly TargetBadge[];
  readonly proofs: readonly TargetProof[];
}

export function readTarget(file: string): Target | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Target;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the file whole or not at all; readable by its owner only, since it is nothing but secrets. */
export function writeTarget(file: string, target: Target): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(target, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}
