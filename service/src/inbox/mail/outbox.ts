/**
 * E-mails to people. A mail is a row in the transaction of its event; the mailer sends it afterwards. So there is no
 * mail without its event, and no such event without its mail.
 */
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { CompanyId, PersonId } from '../../store/ids.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Write } from '../../store/write.js';
import { insertMail, insertMails, type MailRow, saveSecret } from './rows.js';

/** Time for which a mail about a notice is worth sending. */
const noticeKeptFor = 3 * day;

export const associatedData = (id: number) => `link in e-mail ${id}`;

/** A notice by e-mail. No effect if the installation sends none. @param address null: the person's, when it is sent */
export async function enqueueNotice(
  write: Write,
  personId: PersonId,
  notice: { readonly kind: string },
  address: string | null,
): Promise<void> {
  if (!write.sendsMail) return;
  await insertMail(write, {
    person_id: personId,
    kind: 'notice',
    address,
    facts: JSON.stringify(notice),
    created_at: write.at,
    expires_at: write.at + noticeKeptFor,
  });
}

/** The same to everyone who is active in a company and wants this kind. */
export async function enqueueNotices(
  write: Write,
  companyId: CompanyId,
  notice: { readonly kind: string },
): Promise<void> {
  if (!write.sendsMail) return;
  await insertMails(write, companyId, {
    notice: notice.kind,
    facts: JSON.stringify(notice),
    at: write.at,
    expiresAt: write.at + noticeKeptFor,
  });
}

/** A mail with a one-time link. @returns true if it will be sent, false if the installation sends no e-mail */
export async function enqueueLink(
  write: Write,
  keys: SealingKeys,
  {
    personId,
    kind,
    token,
    expiresAt,
  }: {
    readonly personId: PersonId;
    readonly kind: 'invitation' | 'password_reset';
    readonly token: string;
    readonly expiresAt: Instant;
  },
): Promise<boolean> {
  if (!write.sendsMail) return false;
  const row = await insertMail(write, {
    person_id: personId,
    kind,
    address: null,
    facts: '{}',
    created_at: write.at,
    expires_at: expiresAt,
  });
  await sealToken(write, row, keys, token);
  return true;
}

export async function sealToken(
  write: Write,
  { id }: Pick<MailRow, 'id'>,
  keys: SealingKeys,
  token: string,
): Promise<void> {
  const sealedToken = keys.get(keys.current).seal(associatedData(id), Buffer.from(token));
  await saveSecret(write, id, { sealed: sealedToken, by: keys.current });
}
