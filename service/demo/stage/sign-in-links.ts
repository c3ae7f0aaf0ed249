/**
 * "Sign in as …" without a password, for the demo only: a link opens one session, once. It proves nothing. Therefore it
 * exists nowhere but here, on an address that only this machine reaches.
 */
import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import { openSession, renewSession } from '../../src/access/sessions.js';
import { actorOf } from '../../src/people/actor.js';
import { findPerson } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { PersonId } from '../../src/store/ids.js';
import type { Store } from '../../src/store/write.js';

export interface SignInLinks {
  /** @returns the last part of an address that signs the person in once */
  issue(personId: PersonId): string;
  /**
   * @param userAgent of the browser that opened the link
   * @returns the session's token, or undefined if the link was used or never issued
   */
  redeem(link: string, userAgent: string | undefined): Promise<string | undefined>;
  /** A session of the demo's own, in which its page shows that person's view in a browser. */
  open(personId: PersonId): Promise<string>;
}

export function createSignInLinks(store: Store, randomBytes: RandomBytes, clock: () => number): SignInLinks {
  const issuedLinks = new Map<string, PersonId>();
  const open = async (personId: PersonId, device: string | undefined) => {
    const person = (await findPerson(store, personId, allCompanies))!;
    const at = clock();
    return store.write({ actor: actorOf(person), at }, async (write) => {
      const browser = { address: '127.0.0.1', device, previousToken: undefined };
      const { id } = await openSession(
        write,
        { ...browser, personId, openedBy: 'link', refusal: 'one_time_link_invalid' },
        randomBytes,
        at,
      );
      const token = await renewSession(write, id, 'complete', randomBytes, at);
      await write.audit({
        companyId: person.company_id,
        action: 'sign_in.completed',
        subject: `person ${personId}`,
        details: { session: id },
      });
      return token;
    });
  };
  return {
    open: (personId) => open(personId, 'Clockproof-demo/1'),
    issue(personId) {
      const link = base62(24, randomBytes);
      issuedLinks.set(link, personId);
      return link;
    },
    async redeem(link, userAgent) {
      const personId = issuedLinks.get(link);
      issuedLinks.delete(link);
      return personId === undefined ? undefined : open(personId, userAgent);
    },
  };
}
