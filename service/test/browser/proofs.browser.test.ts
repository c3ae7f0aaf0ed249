/** What a person proves of a closed month, and what HR sees of it on the ledger. */
import { readFile } from 'node:fs/promises';
import { day, parseInstant } from '@clockproof/platform/time/instant';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { closeMonth, reopenMonth } from '../builders.js';
import { addApp } from '../linking.js';
import { describeInBrowser, faultsOf, useChromium, widths } from './chromium.js';
import { addUser, giveFactors } from './people.js';

interface Part {
  readonly name: string;
  readonly text?: string;
}

async function download(page: Page, press: () => Promise<unknown>): Promise<{ name: string; parts: readonly Part[] }> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()]);
  const { parts } = JSON.parse(await readFile(await file.path(), 'utf8')) as { parts: readonly Part[] };
  return { name: file.suggestedFilename(), parts };
}
const visibleNames = (parts: readonly Part[]) => parts.flatMap(({ name, text }) => (text === undefined ? [] : [name]));

describeInBrowser('proofs', () => {
  const stage = useChromium(async (world) => {
    await giveFactors(world, [world.people.ada]);
    world.set(parseInstant('2026-12-02T07:00:00Z')!);
    await closeMonth(world);
  });

  /** Reports a transaction of the only commitment. */
  async function report(...verdicts: readonly ('match' | 'mismatch')[]): Promise<void> {
    const { world } = stage;
    const { key } = await addApp(world, `Anchor ${verdicts.join()}`, {
      companyId: world.nord,
      keyReads: 'everyone',
      scopes: ['read:commitments', 'write:anchors'],
    });
    const { body } = await world.call('GET', '/api/v1/commitments', { key });
    const [{ id }] = body['data'] as [{ id: number }];
    const { status } = await world.call('POST', `/api/v1/commitments/${id}/anchors`, {
      key,
      body: {
        tx: '7fqJ6T3hVb3mJXy9n6fUuQ3sAtj4sGZq1cB8dEw5kLrP',
        sender: `0x${'4c'.repeat(32)}`,
        package: `0x${'9d'.repeat(32)}`,
        chain: '6364aad5',
        checks: verdicts.map((verdict, index) => ({ index: `https://index-${index}.example`, verdict })),
      },
    });
    expect(status).toBe(201);
  }

  it('proofs are downloaded whole, or with selected parts only', async () => {
    await report('match', 'match');
    const ada = await stage.person({ signedIn: stage.world.people.ada, phone: widths.phone });
    const { page } = ada;
    await ada.go('/profile');
    await page.getByRole('link', { name: 'My proofs' }).first().click();
    const card = page.getByRole('region', { name: 'November 2026' });
    await card.getByText('2 indexes confirm it.').waitFor();
    const fullProof = await download(page, () => card.getByRole('button', { name: 'Download: November 2026' }).click());
    expect(fullProof.name).toBe('2026-11-ada-lang.clockproof');
    expect(visibleNames(fullProof.parts)).toHaveLength(36);
    await card.getByRole('button', { name: 'Show only what is needed' }).click();
    const form = page.getByRole('form', { name: /^Show only what is needed/ });
    await form.getByLabel('certain days').check();
    await form.getByLabel('With my name and number').uncheck();
    // A week of the calendar is one line, on a phone too.
    await form.getByLabel('First day').tap();
    const [monday, sunday] = await Promise.all(
      ['2 November 2026', '8 November 2026'].map((name) =>
        page.getByRole('button', { name, exact: true }).boundingBox(),
      ),
    );
    expect(sunday!.y).toBe(monday!.y);
    // The last day follows: a selection is never empty.
    await page.getByRole('button', { name: '8 November 2026', exact: true }).tap();
    expect(await faultsOf(ada, 'my-proofs')).toEqual([]);
    const partialProof = await download(page, () => form.getByRole('button', { name: 'Download' }).click());
    expect(visibleNames(partialProof.parts)).toEqual(['head', '2026-11-08']);
  });

  it('contradicted proofs say so, and HR sees it at the month', async () => {
    const { world } = stage;
    await report('match', 'mismatch');
    const ada = await stage.person({ signedIn: world.people.ada });
    await ada.go('/profile/proofs');
    await ada.page.getByText('An index finds something else').waitFor();
    expect(await faultsOf(ada, 'my-proofs-contradicted')).toEqual([]);
    const hr = await stage.person({ signedIn: await addUser(world, 'Bo', { role: 'company_admin' }) });
    await hr.go('/company/months?month=2026-11');
    await hr.page.getByText(/Ledger: Contradicted/).waitFor();
    await hr.go(`/company/people/${world.people.ada}?tab=time&month=2026-11`);
    const proof = await download(hr.page, () => hr.page.getByRole('button', { name: 'Hand out the proof' }).click());
    expect(proof.name).toBe('2026-11-ada-lang.clockproof');
  });

  it('proofs say what a re-opened month changed', async () => {
    const { world } = stage;
    await reopenMonth(world, { reason: 'A correction came late' });
    await closeMonth(world);
    const ada = await stage.person({ signedIn: world.people.ada, phone: widths.phone });
    await ada.go('/profile/proofs');
    await ada.page.getByText('A correction came late').waitFor();
    await ada.page.getByText('Nothing of yours changed').waitFor();
    expect(await faultsOf(ada, 'my-proofs-revised')).toEqual([]);
    await ada.go('/time/sheet?month=2026-11');
    await ada.page.emulateMedia({ media: 'print' });
    await ada.page.getByText('A correction came late').waitFor();
  });

  it('a leaver downloads proofs with a link of an admin', async () => {
    const { world } = stage;
    const { ada } = world.people;
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :ada', { ada }));
    const hr = await stage.person({ signedIn: await addUser(world, 'Bo', { role: 'company_admin' }) });
    await hr.go(`/company/people/${ada}?tab=access`);
    await hr.page.getByRole('button', { name: 'Create a link to the proofs' }).click();
    const link = new URL((await hr.page.getByLabel('Link to the proofs').locator('output').textContent())!);
    expect(await faultsOf(hr, 'link-to-proofs')).toEqual([]);
    const leaver = await stage.person({ phone: widths.phone });
    await leaver.go(`${link.pathname}${link.hash}`);
    await leaver.page.getByText('The link works until').waitFor();
    expect(await faultsOf(leaver, 'linked-proofs')).toEqual([]);
    const button = leaver.page.getByRole('button', { name: 'Download: November 2026' });
    expect((await download(leaver.page, () => button.click())).name).toBe('2026-11-ada-lang.clockproof');
  });

  it('proofs are overdue a day after the month was closed', async () => {
    stage.world.advance(day + 1);
    const ada = await stage.person({ signedIn: stage.world.people.ada });
    await ada.go('/profile/proofs');
    await ada.page.getByText('This takes longer than a day.').waitFor();
  });
});
