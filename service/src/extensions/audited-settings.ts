/** An extension's settings for the audit log: with the contract's names, without secrets. */
import type { ExtensionRow } from './rows.js';

type Settings = Pick<
  ExtensionRow,
  | 'name'
  | 'description'
  | 'company_id'
  | 'mode'
  | 'acting'
  | 'scopes'
  | 'is_leading'
  | 'linkable'
  | 'redirect_uris'
  | 'link_days'
  | 'key_reads'
  | 'event_types'
  | 'webhook_url'
>;

/** Unset members are omitted. */
export function auditedSettings(row: Settings) {
  const { description, company_id, event_types, webhook_url, ...otherMembers } = membersOf(row);
  return {
    ...otherMembers,
    description: description ?? undefined,
    company_id: company_id ?? undefined,
    event_types: event_types ?? undefined,
    webhook_url: webhook_url ?? undefined,
  };
}

/** Members whose values differ, before and after, as text; empty if not set. */
export function changedSettings(
  before: Settings,
  after: Settings,
): { readonly member: string; readonly old: string; readonly new: string }[] {
  const [previous, next] = [membersOf(before), membersOf(after)];
  return (
    (Object.keys(previous) as (keyof typeof previous)[])
      // A webhook address with another query is another address, though it reads the same here.
      .filter(
        (member) =>
          textOf(previous[member]) !== textOf(next[member]) ||
          (member === 'webhook_url' && before.webhook_url !== after.webhook_url),
      )
      .map((member) => ({ member, old: textOf(previous[member]), new: textOf(next[member]) }))
  );
}

function membersOf(row: Settings) {
  return {
    name: row.name,
    description: row.description,
    company_id: row.company_id,
    mode: row.mode,
    acting: row.acting,
    scopes: JSON.parse(row.scopes) as unknown,
    absences_count_as_approved: row.is_leading === 1,
    linking: row.linkable === 1,
    redirect_uris: JSON.parse(row.redirect_uris) as unknown,
    link_lifetime_days: row.link_days,
    key_reads: row.key_reads,
    event_types: row.event_types === null ? null : (JSON.parse(row.event_types) as unknown),
    webhook_url: row.webhook_url === null ? null : withoutQuery(row.webhook_url),
  };
}

/** Omits the query of webhook addresses: it may contain tokens, and the log is exported. */
function withoutQuery(address: string): string {
  const [place = '', ...query] = address.split('?');
  return query.length === 0 ? place : `${place}?…`;
}

function textOf(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
