/** The demo's anchor service: a month is closed, and `clockproof-anchor` writes its root to the simulated ledger. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalDate, localDateAt, monthOf } from '@clockproof/platform/time/local-date';
import { addExtension } from '../src/access/integrations/extensions.js';
import { closeCompanyMonth } from '../src/proofs/close-month.js';
import type { Service } from '../src/service.js';
import { firstDayOfStory } from './calendar.js';
import { cast } from './cast.js';
import { system } from './company.js';
import { type Running, start } from './processes.js';
import { type Ledger, repository } from './programs.js';
import type { Target } from './target.js';

/** Closes the month in which the story begins. @returns it */
export async function closeFirstMonth({ store }: Service, companyId: number): Promise<string> {
  const month = monthOf(firstDayOfStory(localDateAt(Date.now(), cast[0]!.timeZone)) as LocalDate);
  await store.write({ actor: system, at: Date.now() }, (write) => closeCompanyMonth(write, { companyId, month }));
  return month;
}

/** Starts `clockproof-anchor`, with a key of its own that is kept under `data`. */
export async function startAnchorService(
  data: string,
  service: Service,
  { service: { url: serviceUrl }, indexer }: Pick<Target, 'service' | 'indexer'>,
  ledger: Ledger,
): Promise<Running> {
  const anchor = start(
    'anchor',
    join(repository, 'service/bin/clockproof-anchor.js'),
    [],
    {
      SERVICE_URL: serviceUrl,
      SERVICE_KEY: await keyIn(data, service),
      LEDGER_URLS: indexer.url,
      ANCHOR_COMMAND: `${process.execPath} ${join(repository, 'service/dist/demo/write-to-ledger.js')} ${ledger.url}`,
      ANCHOR_SENDER: ledger.sender,
      // A pass takes seven requests, and a key has 120 a minute.
      POLL_INTERVAL: '5s',
    },
    join(data, 'anchor.log'),
  );
  await anchor.line(/"anchoring"/);
  return anchor;
}

async function keyIn(data: string, service: Service): Promise<string> {
  const file = join(data, 'anchor.key');
  if (!existsSync(file)) {
    const needs = { randomBytes, sealingKeys: service.sealingKeys, allowPrivateTargets: true };
    const { key } = await service.store.write({ actor: system, at: Date.now() }, (write) =>
      addExtension(write, needs, {
        name: 'Anchor service',
        mode: 'api',
        // It does nothing for people, and sees every company.
        acting: 'personal_link',
        scopes: ['read:commitments', 'write:anchors'],
      }),
    );
    writeFileSync(file, key, { mode: 0o600 });
  }
  return readFileSync(file, 'utf8');
}
