/**
 * Sends the mails in the outbox. One process leases a mail, and records that it may have been taken before the server
 * gets the first byte. If the process dies before that, another one sends the mail; after that, it is never sent again.
 */
import type { Log } from '@clockproof/platform/log';
import { day, hour, type Instant, minute } from '@clockproof/platform/time/instant';
import MailComposer from 'nodemailer/lib/mail-composer';
import { nameOf } from '../../people/actor.js';
import { findPersonAnywhere, type PersonRow } from '../../people/rows.js';
import type { KeyName, SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Store } from '../../store/write.js';
import { associatedData } from './outbox.js';
import { beginSending, endMail, endUncertain, leaseMail, type MailRow, nextDue, postponeMail } from './rows.js';
import type { HandOver } from './smtp.js';
import {
  type AccessChange,
  accessLetter,
  type Letter,
  linkLetter,
  type MailedNotice,
  noticeLetter,
  noticeTexts,
  renderHtml,
  renderPlainText,
} from './texts.js';

/** Longer than a connection can take (`smtp.ts`). */
const leaseMilliseconds = 5 * minute;
/** After the first, the second … failure; then the last one again, until the mail expires. */
const delays = [minute, 5 * minute, 15 * minute, hour, 3 * hour] as const;

export interface MailerNeeds {
  readonly db: Store;
  readonly keys: SealingKeys;
  readonly clock: () => Instant;
  readonly handOver: HandOver;
  /** MAIL_FROM */
  readonly from: string;
  readonly baseUrl: string;
  /** The name of this process among the replicas. */
  readonly holder: string;
  readonly log: Log;
  /** Finds the person for a mail to an address. @returns undefined if there is none */
  readonly resolveAddress: (mail: MailRow, at: Instant) => Promise<MailRow | undefined>;
}

export interface Mailer {
  /** Sends the due mails. @returns the number that the server took */
  pass(): Promise<number>;
  /** Lets the mail that is being sent finish. */
  stop(): Promise<void>;
}

type LetterNeeds = Pick<MailerNeeds, 'from' | 'baseUrl' | 'keys'>;

export function createMailer(needs: MailerNeeds): Mailer {
  const { db, clock, log, holder } = needs;
  let isStopped = false;
  let currentRun: Promise<number> | undefined;

  async function run(): Promise<number> {
    let sentCount = 0;
    const uncertainCount = await db.runMaintenance('mail', (tx) => endUncertain(tx, clock()));
    if (uncertainCount > 0)
      log.warn({ mails: uncertainCount }, 'whether these e-mails were sent is not known; they are not sent again');
    while (!isStopped) {
      const at = clock();
      const dueMail = await nextDue(db, at);
      if (dueMail === undefined) break;
      const until = at + leaseMilliseconds;
      const mail = await db.runMaintenance('mail', (tx) => leaseMail(tx, { id: dueMail.id, holder, until, at }));
      if (mail !== undefined && (await deliver(mail, at))) sentCount++;
    }
    return sentCount;
  }

  async function deliver(mailRow: MailRow, at: Instant): Promise<boolean> {
    const { id } = mailRow;
    const end = (state: 'sent' | 'failed' | 'dropped' | 'uncertain', error?: string) =>
      db.runMaintenance('mail', (tx) =>
        endMail(tx, { id, holder, state, at: clock(), ...(error === undefined ? {} : { error }) }),
      );
    if (mailRow.expires_at <= at) {
      log.warn({ mail: id, kind: mailRow.kind }, 'an e-mail was given up');
      await end('failed', mailRow.error ?? 'expired');
      return false;
    }
    const mail = mailRow.person_id === null ? await needs.resolveAddress(mailRow, at) : mailRow;
    const person = mail && (await findPersonAnywhere(db, mail.person_id!));
    const isReachable = person !== undefined && person.active === 1 && person.company_active === 1;
    const email = mail?.address ?? person?.email ?? null;
    if (mail === undefined || !isReachable || email === null) {
      await end('dropped');
      return false;
    }
    let content: Buffer;
    try {
      content = await compose(mail, person, email, needs);
    } catch (error) {
      // Its link was sealed with a key that is lost, or its kind came from a newer version.
      log.warn({ mail: id, err: error }, 'an e-mail cannot be written');
      await end('failed', 'cannot be written');
      return false;
    }
    const message = { from: addressOf(needs.from), to: email, content };
    const handover = await needs.handOver(message, async () => {
      if (!(await db.runMaintenance('mail', (tx) => beginSending(tx, { id, holder, at: clock() }))))
        throw new Error('the lease is over');
    });
    switch (handover.outcome) {
      case 'accepted':
        await end('sent');
        return true;
      case 'uncertain':
        log.warn({ mail: id, error: handover.error }, 'whether an e-mail was sent is not known; it is not sent again');
        await end('uncertain', handover.error);
        return false;
      case 'refused': {
        log.warn({ mail: id, error: handover.error, forever: handover.forever }, 'an e-mail was not taken');
        if (handover.forever) await end('failed', handover.error);
        else {
          const dueAt = clock() + delays[Math.min(mailRow.attempts, delays.length) - 1]!;
          await db.runMaintenance('mail', (tx) => postponeMail(tx, { id, holder, dueAt, error: handover.error }));
        }
        return false;
      }
    }
  }

  return {
    pass() {
      currentRun ??= run().finally(() => {
        currentRun = undefined;
      });
      return currentRun;
    },
    async stop() {
      isStopped = true;
      await currentRun?.catch(() => undefined);
    },
  };
}

function letterOf(mail: MailRow, person: PersonRow, { baseUrl, keys }: LetterNeeds): Letter {
  const to = { name: nameOf(person), companyName: person.company_name, language: person.language };
  if (mail.kind === 'notice') {
    const { kind, change } = JSON.parse(mail.facts) as {
      kind: MailedNotice | 'access_changed';
      change: AccessChange;
    };
    if (kind === 'access_changed') return accessLetter(change, to, baseUrl);
    if (noticeTexts[kind] === undefined) throw new Error(`no words for notices of kind ${kind}`);
    return noticeLetter(kind, to, baseUrl);
  }
  const key = keys.get(mail.secret_sealed_by as KeyName);
  const token = Buffer.from(key.open(associatedData(mail.id), mail.secret_sealed!)).toString();
  return linkLetter(mail.kind, token, to, baseUrl);
}

async function compose(mail: MailRow, person: PersonRow, email: string, needs: LetterNeeds): Promise<Buffer> {
  const letter = letterOf(mail, person, needs);
  const composer = new MailComposer({
    from: needs.from,
    to: { name: nameOf(person), address: email },
    subject: letter.subject,
    text: renderPlainText(letter),
    html: renderHtml(letter, person.language),
    date: new Date(mail.created_at),
    // The same at each attempt, so that a mailbox can recognise it.
    messageId: `<mail-${mail.id}-${mail.created_at}@${new URL(needs.baseUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** `Clockproof <time@example.org>` → the address alone, as the envelope has it. */
function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
}

/** Ended mails are kept this long. */
export const keptFor = 30 * day;
