/**
 * Examines everything that can be examined without writing to the ledger: settings, service, every index, the command's
 * program.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { examine, type Report } from '@clockproof/platform/cli/examination';
import { type AnchorConfig, readConfig } from './config.js';
import { createLedgerIndex } from './ledger-index.js';
import { type Fetch, Unreachable } from './read-json.js';
import { createCommitments } from './service-api.js';

export interface DoctorNeeds {
  readonly fetch: Fetch;
  readonly print: (line: string) => void;
  readonly clock: () => number;
}

/** @returns 0 no fault (notes aside), 1 a fault, 78 a fault of the configuration */
export function doctor(
  env: Readonly<Record<string, string | undefined>>,
  { fetch, print, clock }: DoctorNeeds,
): Promise<number> {
  return examine(
    print,
    () => readConfig(env),
    async (config, report) => {
      report('ok', 'configuration', `sender ${config.ANCHOR_SENDER}`);
      if (config.SERVICE_URL.startsWith('http:'))
        report('note', 'SERVICE_URL', 'the key is sent without TLS; do so on one machine or a network of its own only');
      await checkService(config, fetch, report);
      await checkIndexes(config, fetch, clock, report);
      await checkCommand(config, env['PATH'] ?? '', report);
    },
  );
}

async function checkService(config: AnchorConfig, fetch: Fetch, report: Report): Promise<void> {
  const service = createCommitments(config.SERVICE_URL, config.SERVICE_KEY, fetch);
  try {
    const [openCommitments, reportedCommitments, contradictedCommitments] = [
      await service.list('made'),
      await service.list('reported'),
      await service.list('contradicted'),
    ];
    report(
      'ok',
      'service',
      `${openCommitments.length} roots wait for the ledger, ${reportedCommitments.length} for the indexes`,
    );
    for (const { period, company_token } of contradictedCommitments)
      report('FAIL', 'contradicted', `${period} of company ${company_token}`);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    report('FAIL', 'service', error.message);
  }
}

async function checkIndexes(
  { LEDGER_URLS, ANCHOR_SENDER }: AnchorConfig,
  fetch: Fetch,
  clock: () => number,
  report: Report,
): Promise<void> {
  const chains = new Set<string>();
  for (const url of LEDGER_URLS) {
    try {
      const { chain, package: anchorPackage, readUntil } = await createLedgerIndex(url, fetch).status(ANCHOR_SENDER);
      if (chain !== undefined) chains.add(chain);
      const age = readUntil === undefined ? undefined : Math.round((clock() - readUntil) / 1_000);
      if (age === undefined)
        report('FAIL', url, 'it is not up to date, does not follow this sender, or its node tells no time');
      else report('ok', url, `chain ${chain ?? 'unknown'}, package ${anchorPackage}, ${age} s behind the ledger`);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      report('FAIL', url, error.message);
    }
  }
  if (chains.size > 1) report('FAIL', 'LEDGER_URLS', `they follow different ledgers: ${[...chains].join(', ')}`);
  if (LEDGER_URLS.length === 1)
    report('note', 'LEDGER_URLS', 'one index: if it lies, nothing shows it; add one that somebody else runs');
}

async function checkCommand({ ANCHOR_COMMAND }: AnchorConfig, path: string, report: Report): Promise<void> {
  const program = ANCHOR_COMMAND[0]!;
  const candidates = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  for (const file of candidates) {
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return report('ok', 'ANCHOR_COMMAND', `${file}; it was not run`);
  }
  report('FAIL', 'ANCHOR_COMMAND', `${program} is no program that this user may run`);
}
