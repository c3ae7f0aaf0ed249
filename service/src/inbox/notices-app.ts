import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { listNames, type PersonRow } from '../people/rows.js';
import { findSubjects } from '../store/audit/subject-rows.js';
import type { TerminalId } from '../store/ids.js';
import { unwantedKinds } from './mail/rows.js';
import { countUnread, listNoticeRows, type NoticeRow, nameOfExtension, nameOfTerminal } from './notice-rows.js';
import { chooseMail, factsOf, kindsFor, markNoticesRead, type NoticeFacts } from './notices.js';

export const listNotices: AppHandler<'listNotices'> = async ({
  db,
  cursors,
  caller: { person },
  query: { cursor, limit = 100 },
}) => {
  const binding = ['listNotices', person.id];
  const before = cursor === undefined ? undefined : cursors.read<{ before: number }>(binding, cursor).before;
  const page = pageOf(
    await listNoticeRows(db, person.id, { before, limit: limit + 1 }),
    limit,
    (row) => row,
    (last) => cursors.write(binding, { before: last.id }),
  );
  const data = await Promise.all(page.data.map((row) => present(db, row)));
  return { status: 200, body: { ...page, data, unread: await countUnread(db, person.id) } };
};

export const readNotices: AppHandler<'readNotices'> = async ({ db, caller: { person }, body: { ids }, at }) => {
  await db.write({ actor: actorOf(person), at }, (write) => markNoticesRead(write, person.id, ids));
  return { status: 204 };
};

export const showMailChoices: AppHandler<'showMailChoices'> = async ({ db, sendsMail, caller: { person } }) => ({
  status: 200,
  body: await presentChoices(db, person, sendsMail),
});

export const setMailChoices: AppHandler<'setMailChoices'> = async ({
  db,
  sendsMail,
  caller: { person },
  body: { kinds },
  at,
}) => {
  const choices = new Map(kinds.map(({ kind, mail }) => [kind, mail]));
  await db.write({ actor: actorOf(person), at }, (write) => chooseMail(write, person, choices));
  return { status: 200, body: await presentChoices(db, person, sendsMail) };
};

async function presentChoices(
  reader: Reader,
  { id, email, role }: PersonRow,
  available: boolean,
): Promise<components['schemas']['MailChoices']> {
  const mutedKinds = await unwantedKinds(reader, id);
  return {
    available,
    email: email ?? undefined,
    kinds: kindsFor(role).map((kind) => ({ kind, mail: !mutedKinds.has(kind) })),
  };
}

async function present(reader: Reader, row: NoticeRow): Promise<components['schemas']['Notice']> {
  const facts = factsOf(row);
  return {
    id: row.id,
    kind: facts.kind,
    at: formatInstant(row.at),
    read_at: formatInstant(row.read_at),
    ...(await presentFacts(reader, facts)),
  };
}

type Facts = Omit<components['schemas']['Notice'], 'id' | 'kind' | 'at' | 'read_at'>;

/** The subject of a notice; absent if it was deleted. */
async function presentFacts(reader: Reader, facts: NoticeFacts): Promise<Facts> {
  switch (facts.kind) {
    case 'webhooks_disabled': {
      const name = await nameOfExtension(reader, facts.extension);
      return {
        extension: name === undefined ? undefined : { id: facts.extension, name },
        because: facts.because,
      };
    }
    case 'request_decided':
      return {
        request: { kind: facts.request, outcome: facts.outcome, start_date: facts.from, end_date: facts.to },
      };
    case 'request_waiting': {
      const person = await findReference(reader, facts.person);
      return {
        waiting: {
          kind: facts.request,
          person,
          start_date: facts.from,
          end_date: facts.to,
        },
      };
    }
    case 'month_reopened': {
      const by = facts.by === undefined ? undefined : await findReference(reader, facts.by);
      return { reopened: { month: facts.month, by, reason: facts.reason } };
    }
    case 'time_corrected': {
      const by = await findReference(reader, facts.by);
      return {
        corrected: {
          by,
          start_date: facts.from,
          end_date: facts.to,
          reason: facts.reason,
        },
      };
    }
    case 'link_ended': {
      // The extension may have been deleted: that may be why.
      const subject = `extension ${facts.extension}`;
      const name = (await findSubjects(reader, [subject])).get(subject)?.name;
      return {
        extension: name == null ? undefined : { id: facts.extension, name },
        ended: facts.reason,
      };
    }
    case 'clock_out_missing':
    case 'stamp_unresolved':
    case 'proofs_to_keep':
    case 'log_overdue':
    case 'log_contradicted':
      return { day: facts.day };
    case 'proofs_stopped':
    case 'key_copied':
      return terminalOf(reader, facts.terminal);
    case 'badge_failing': {
      const holder = await findReference(reader, facts.person);
      return { ...(await terminalOf(reader, facts.terminal)), holder };
    }
    case 'proof_overdue':
    case 'proof_contradicted':
      return { month: facts.month };
    case 'access_changed':
      return { access_change: facts.change };
    case 'pin_reset':
    case 'stamp_undecided':
      return {};
  }
}

async function terminalOf(reader: Reader, id: TerminalId): Promise<Pick<Facts, 'terminal'>> {
  const name = await nameOfTerminal(reader, id);
  return name === undefined ? {} : { terminal: { id, name } };
}

async function findReference(
  reader: Reader,
  id: number,
): Promise<components['schemas']['PersonReference'] | undefined> {
  const name = (await listNames(reader, [id])).get(id);
  return name === undefined ? undefined : { id, name };
}
