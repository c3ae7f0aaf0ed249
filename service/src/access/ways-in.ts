/**
 * Every way to gain access as a person, or to gain more rights. The endings of a way happen in its transaction, which
 * also informs its person: by a notice, and by an e-mail that cannot be switched off. A test walks each way with one
 * proof too few.
 */
import type { AccessChange } from '../inbox/mail/texts.js';
import { notify } from '../inbox/notices.js';
import type { PersonId } from '../store/ids.js';
import type { Write } from '../store/write.js';
import { deleteSubject } from './company-sign-in/rows.js';
import {
  deleteOneTimeLinks,
  deleteRecoveryCodes,
  deleteSetUpLinks,
  deleteTotp,
  endPassword,
  markAllEnded,
} from './rows.js';
import { deletePasskeys } from './second-factor/passkey-rows.js';

/**
 * The required proof: a one-time link, the password, a proof of the second factor in the last fifteen minutes
 * (`fresh_factor`: of the person who acts), a recovery code, the word of the identity provider, or the machine of the
 * service.
 */
type Proof = 'link' | 'password' | 'fresh_factor' | 'recovery_code' | 'provider' | 'machine';
/** `account`: the binding to an account at the identity provider. */
type Ending = 'password' | 'factors' | 'account' | 'sessions' | 'links' | 'set_up_links';

interface WayIn {
  readonly proof: readonly Proof[];
  readonly ends: readonly Ending[];
  /** Undefined if there is no one to inform, because the person could not sign in before. */
  readonly tells?: AccessChange;
}

const allEndings = ['password', 'factors', 'account', 'sessions', 'links'] as const;

export const waysIn = {
  setUp: { proof: ['link'], ends: ['set_up_links'] },
  /** By an invitation to a person who could not sign in. */
  firstPassword: { proof: ['link'], ends: ['sessions', 'links'] },
  /** By an invitation or a request; a person with a second factor proves it next. */
  passwordByLink: { proof: ['link'], ends: ['sessions', 'links'], tells: 'password_changed' },
  passwordChange: { proof: ['password'], ends: ['sessions', 'links'], tells: 'password_changed' },
  resetByCommand: { proof: ['machine'], ends: allEndings, tells: 'reset' },
  resetByAdmin: { proof: ['fresh_factor'], ends: allEndings, tells: 'reset' },
  /** DATA_KEY is lost, and with it the only second factor. */
  resetByLostKey: { proof: ['machine'], ends: allEndings, tells: 'reset' },
  /** DATA_KEY is lost, and with it the authenticator app; passkeys stay. */
  appByLostKey: { proof: ['machine'], ends: ['sessions'], tells: 'factor_removed' },
  /** A person with a second factor here proves it at the binding. */
  accountLink: { proof: ['provider', 'fresh_factor'], ends: [], tells: 'account_linked' },
  /** A person added at their first sign-in through the company. */
  accountCreation: { proof: ['provider'], ends: [] },
  /** The first one needs the password alone. */
  factorAddition: { proof: ['password', 'fresh_factor'], ends: [], tells: 'factor_added' },
  factorRemoval: { proof: ['password', 'fresh_factor'], ends: ['sessions'], tells: 'factor_removed' },
  recoveryCode: { proof: ['recovery_code'], ends: [], tells: 'recovery_code_used' },
  recoveryCodes: { proof: ['fresh_factor'], ends: [], tells: 'recovery_codes_renewed' },
  /** The e-mail goes to the earlier address. */
  emailChange: { proof: ['fresh_factor'], ends: ['links'], tells: 'email_changed' },
  roles: { proof: ['fresh_factor'], ends: [], tells: 'roles_changed' },
  rolesByProvider: { proof: ['provider'], ends: [], tells: 'roles_changed' },
  /**
   * The way back: a session or link from before does not work again for a reactivated person. The person could not read
   * a notice.
   */
  deactivation: { proof: [], ends: ['sessions', 'links'] },
  superAdminByCommand: { proof: ['machine'], ends: [], tells: 'roles_changed' },
} as const satisfies Readonly<Record<string, WayIn>>;

export type WayName = keyof typeof waysIn;

/**
 * Carries out the endings of a way, and informs the person.
 * @param keepSession the person's own session, in which they do it
 * @param email the address of the e-mail, if not the person's
 */
export async function takeWay(
  write: Write,
  name: WayName,
  personId: PersonId,
  { keepSession = '', email }: { readonly keepSession?: string; readonly email?: string } = {},
): Promise<void> {
  const { ends, tells }: WayIn = waysIn[name];
  const endings: Readonly<Record<Ending, () => Promise<unknown>>> = {
    password: () => endPassword(write, personId),
    factors: async () => {
      await deleteTotp(write, personId);
      await deletePasskeys(write, personId);
      await deleteRecoveryCodes(write, personId);
    },
    account: () => deleteSubject(write, personId),
    sessions: () => markAllEnded(write, personId, keepSession, write.at),
    links: () => deleteOneTimeLinks(write, personId),
    set_up_links: () => deleteSetUpLinks(write),
  };
  for (const ending of ends) await endings[ending]();
  if (tells !== undefined) await notify(write, [personId], { kind: 'access_changed', change: tells }, email);
}
