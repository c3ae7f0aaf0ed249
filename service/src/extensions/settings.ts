/** Compatibility of an extension's settings. */

import { type EventType, eventTypes, writeScopes } from '../generated/contract.js';
import { Refusal, type RefusalDetail } from '../store/refusal.js';
import type { ExtensionRow } from './rows.js';

export interface Surroundings {
  /** True if writing for people is switched on. */
  readonly peopleWrites: boolean;
  readonly isRedirectAllowed: (address: string) => boolean;
  readonly isTargetAllowed: (address: string) => boolean;
}

/**
 * @throws Refusal `extension_incomplete`, `redirect_uri_refused`, `target_refused`, `feature_disabled` a writing scope
 * while writing is off
 */
export function refuseSettings(
  row: ExtensionRow,
  { peopleWrites, isRedirectAllowed, isTargetAllowed }: Surroundings,
): void {
  const redirects = JSON.parse(row.redirect_uris) as string[];
  const scopes = JSON.parse(row.scopes) as string[];
  const missingField = (field: string, error: string): RefusalDetail => ({ field, code: 'required', error });
  const faults = [
    ...(row.acting === 'everyone' && row.company_id === null
      ? [missingField('company_id', 'Acting for everyone needs a company.')]
      : []),
    ...(row.linkable === 1 && redirects.length === 0
      ? [missingField('redirect_uris', 'Linking needs an address to return to.')]
      : []),
    ...(row.mode === 'webhooks' && row.webhook_url === null
      ? [missingField('webhook_url', 'Webhooks need an address.')]
      : []),
    ...(row.mode !== 'webhooks' && row.webhook_url !== null
      ? [{ field: 'webhook_url', code: 'contradiction' as const, error: 'Only the mode webhooks has an address.' }]
      : []),
  ];
  if (faults.length > 0) throw new Refusal('extension_incomplete', { details: faults });
  const invalidIndex = redirects.findIndex((address) => !isRedirectAllowed(address));
  if (invalidIndex >= 0)
    throw new Refusal('redirect_uri_refused', {
      details: [
        {
          field: `redirect_uris[${invalidIndex}]`,
          code: 'not_allowed',
          error:
            'Write the address as it will be sent: https, http on localhost, 127.0.0.1 or [::1], or an app scheme such as com.example.app:/callback; no fragment, wildcard or parameter of the answer.',
        },
      ],
    });
  if (row.webhook_url !== null && !isTargetAllowed(row.webhook_url)) throw new Refusal('target_refused');
  if (!peopleWrites && scopes.some((scope) => (writeScopes as readonly string[]).includes(scope)))
    throw new Refusal('feature_disabled');
}

/** As stored: in the order of the contract, so that the same choice is the same text. Null for every type. */
export function eventTypesText(selection: readonly EventType[] | null | undefined): string | null {
  return selection == null ? null : JSON.stringify(eventTypes.filter((type) => selection.includes(type)));
}

/** The types that an extension wants to be sent; undefined for every type. */
export function chosenEventTypes({ event_types: text }: Pick<ExtensionRow, 'event_types'>): EventType[] | undefined {
  return text === null ? undefined : (JSON.parse(text) as EventType[]);
}
