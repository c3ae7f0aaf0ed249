/** Compares an index of the ledger with the database, for `audit verify --anchors`. */
import type { Reader } from '@clockproof/platform/database/database';
import { rootsOfHeads } from '../store/audit/rows.js';
import { readInstallationToken } from '../store/installation.js';
import { hasCommitment, listCompanyTokens } from './rows.js';

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  options: { readonly redirect: 'error'; readonly signal: AbortSignal },
) => Promise<{ readonly status: number; json(): Promise<unknown> }>;

export interface AnchorSource {
  /** The address of an index. */
  readonly index: string;
  /** The address of the anchor service: anybody may write roots to the ledger. */
  readonly sender: string;
  readonly fetch: Fetch;
}

export interface AnchorFault {
  /** Absent for the audit log. */
  readonly companyId?: number;
  readonly period: string;
  readonly root: string;
}

export interface AnchorFindings {
  /** Anchors of this installation that the index lists. */
  readonly anchors: number;
  /** Roots on the ledger that the database does not have, newest first. */
  readonly faults: readonly AnchorFault[];
  /** True if the index has read the whole history. */
  readonly isWhole: boolean;
}

const answerMilliseconds = 30_000;

/** @throws {IndexUnreadable} it does not answer, or not as an index does */
export async function verifyAnchors(reader: Reader, source: AnchorSource): Promise<AnchorFindings> {
  const { history, state } = await ask(source, 'status');
  const installation = await readInstallationToken(reader);
  const companies = new Map((await listCompanyTokens(reader)).map(({ id, proof_token }) => [proof_token, id]));
  let anchors = 0;
  const faults: AnchorFault[] = [];
  for await (const page of pagesOfAnchored(source)) {
    const ofLog = page.filter(({ company_token: token }) => token === installation);
    const logRoots = await rootsOfHeads(
      reader,
      ofLog.map(({ merkle_root: root }) => root),
    );
    for (const { company_token: token, period, merkle_root: root } of page) {
      const companyId = companies.get(token);
      // An anchor of another installation with the same anchor service.
      if (companyId === undefined && token !== installation) continue;
      anchors += 1;
      if (companyId === undefined) {
        if (!logRoots.has(root)) faults.push({ period, root });
      } else if (!(await hasCommitment(reader, { companyId, period, root }))) faults.push({ companyId, period, root });
    }
  }
  return { anchors, faults, isWhole: history === 'complete' && state === 'ready' };
}

/** The index does not answer as an index does. */
export class IndexUnreadable extends Error {
  override readonly name = 'IndexUnreadable';
}

interface Anchored {
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
}

/** Everything that the sender has anchored, newest first. */
async function* pagesOfAnchored(source: AnchorSource): AsyncGenerator<readonly Anchored[]> {
  const cursors = new Set<unknown>();
  let cursor: unknown;
  do {
    const query = new URLSearchParams({ sender: source.sender, limit: '500' });
    if (typeof cursor === 'string') query.set('cursor', cursor);
    const page = await ask(source, `proofs?${query}`);
    if (!Array.isArray(page['data'])) throw new IndexUnreadable(`${source.index} answers no list of proofs`);
    yield page['data'] as Anchored[];
    cursor = page['next_cursor'];
    if (cursors.has(cursor)) throw new IndexUnreadable(`${source.index} gives the same cursor again`);
    cursors.add(cursor);
  } while (typeof cursor === 'string');
}

async function ask({ index, fetch }: AnchorSource, path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = `${index.replace(/\/+$/, '')}/api/v1/${path}`;
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerMilliseconds) });
    if (response.status !== 200) throw new IndexUnreadable(`${url} answers ${response.status}`);
    const body = await response.json();
    if (typeof body !== 'object' || body === null) throw new IndexUnreadable(`${url} answers no object`);
    return { ...body };
  } catch (error) {
    if (error instanceof IndexUnreadable) throw error;
    const { message, cause } = error as Error & {
      readonly cause?: { readonly code?: string; readonly message?: string };
    };
    // If the connection failed, the message is only »fetch failed«.
    throw new IndexUnreadable(`${url}: ${cause?.code ?? cause?.message ?? message}`, { cause: error });
  }
}
