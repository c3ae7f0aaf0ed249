/** Commits to a month in the transaction that closes it. */
import { formatInstant } from '@clockproof/platform/time/instant';
import { lastDayOf } from '@clockproof/platform/time/local-date';
import type { PersonMonthBalance } from '../months/company-month.js';
import type { CompanyRow } from '../people/rows.js';
import { readHead } from '../store/audit/rows.js';
import type { Write } from '../store/write.js';
import { version } from '../version.js';
import { type Figures, type MonthOfPerson, readMonths } from './month-parts.js';
import {
  type Leaf,
  leafOf,
  type Part,
  partHash,
  partSalt,
  partText,
  rootOf,
  slotOf,
  upperNodesOf,
} from './month-proof.js';
import { packParts } from './packed-parts.js';
import { presentCommitment } from './present-commitment.js';
import { findCommitment, insertCommitment } from './rows.js';

interface Revision {
  readonly companyToken: string;
  readonly period: string;
  readonly revision: number;
}

interface CommittedLeaf extends Leaf {
  readonly personId: number;
  readonly parts: readonly Part[];
}

/**
 * Call it when everything else of the month is stored. If the process stops before the commit, the month is open and
 * there is no root.
 * @param lines the figures of everybody of the month, as they are after closing
 */
export async function commitMonth(
  write: Write,
  company: CompanyRow,
  month: string,
  lines: readonly PersonMonthBalance[],
): Promise<void> {
  const companyId = company.id;
  const span = { companyId, month, first: `${month}-01`, last: lastDayOf(month) };
  const figures = new Map(lines.map((line) => [line.person.id, line]));
  const people = await readMonths(write, span, company.name, ({ person_id: id }) => figuresOf(figures.get(id)!));
  const previous = await findCommitment(write, span);
  const { size, root: logRoot } = await readHead(write);
  const revision = { companyToken: company.proof_token, period: month, revision: (previous?.revision ?? 0) + 1 };
  const { attempt, leaves } = place(people, revision, (person, attempt) => ({
    format: 'clockproof month 1',
    company_token: revision.companyToken,
    person_token: person.personToken,
    period: month,
    revision: revision.revision,
    attempt,
    previous_root: previous?.root ?? null,
    closed_at: formatInstant(write.at),
    time_zone: company.time_zone,
    // Without its size: two files would show about how many people stamp.
    log: size === 0 ? null : logRoot,
    version,
  }));
  const seed = write.randomBytes(32);
  const upperNodes = upperNodesOf(leaves, seed);
  const root = rootOf(upperNodes, seed).toString('hex');
  const commitment = await insertCommitment(
    write,
    {
      company_id: companyId,
      kind: 'month',
      period: month,
      revision: revision.revision,
      attempt,
      root,
      seed: Buffer.from(seed).toString('hex'),
      upper_nodes: upperNodes.toString('base64'),
      previous_root: previous?.root ?? null,
      made_at: write.at,
      state: 'made',
      claimed_until: null,
      overdue_told_at: null,
    },
    leaves.map(({ slot, hash, personId, parts }) => ({
      slot,
      leaf: Buffer.from(hash).toString('hex'),
      person_id: personId,
      parts: packParts(parts),
    })),
  );
  await write.event({
    type: 'commitment.made',
    companyId,
    data: await presentCommitment(
      write,
      { ...commitment, company_id: companyId, company_token: company.proof_token },
      write.at,
    ),
  });
}

function figuresOf({ sum, carriedMinutes, bookedMinutes, balanceMinutes }: PersonMonthBalance): Figures {
  return {
    target: sum.targetMinutes,
    worked: sum.workedMinutes,
    difference: sum.differenceMinutes,
    carried: carriedMinutes,
    booked: bookedMinutes,
    balance: balanceMinutes,
  };
}

/** Two of 50,000 people share a place in 4 of a million months; after so many attempts they share a token. */
const maxAttempts = 100;

/** Counts attempts until everybody has a place of their own. */
function place(
  people: readonly MonthOfPerson[],
  revision: Revision,
  headOf: (person: MonthOfPerson, attempt: number) => object,
): { readonly attempt: number; readonly leaves: readonly CommittedLeaf[] } {
  for (let attempt = 1; ; attempt++) {
    const slots = people.map(({ personToken }) => slotOf({ ...revision, attempt, personToken }));
    if (attempt > maxAttempts) throw new Error(`two people share a place in ${revision.period} whatever is tried`);
    if (new Set(slots).size < slots.length) continue;
    const leaves = people.map((person, index): CommittedLeaf => {
      const parts = [{ name: 'head', text: partText(headOf(person, attempt)) }, ...person.parts];
      const hashes = parts.map((part) => partHash(part, partSalt(person.recordSalt, revision, part.name)));
      return { slot: slots[index]!, hash: leafOf(hashes), personId: person.personId, parts };
    });
    return { attempt, leaves: leaves.sort((a, b) => a.slot - b.slot) };
  }
}
