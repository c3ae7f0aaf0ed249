/**
 * The settings of an extension: as members of the contract, as fields of the form, and the conversions between them.
 */
import type { Schemas } from '../api/session.js';
import type { ScopeName } from '../parts/scope-list.js';

export type Extension = Schemas['Extension'];
export type EventType = Exclude<Schemas['EventType'], 'ping'>;

export const eventFamilies = [
  'clock',
  'time_entry',
  'month',
  'leave',
  'vacation',
  'user',
  'commitment',
  'link',
] as const;
type EventFamily = (typeof eventFamilies)[number];

/** The events to choose from, by family: a ping arrives in any case. The compiler names a missing type. */
const familyOf: Readonly<Record<EventType, EventFamily>> = {
  'clock.in': 'clock',
  'clock.out': 'clock',
  'clock.break_start': 'clock',
  'clock.break_end': 'clock',
  'time_entry.changed': 'time_entry',
  'time_entry.removed': 'time_entry',
  'month.closed': 'month',
  'month.reopened': 'month',
  'leave.requested': 'leave',
  'leave.approved': 'leave',
  'leave.rejected': 'leave',
  'leave.changed': 'leave',
  'leave.withdrawn': 'leave',
  'leave.cancellation_requested': 'leave',
  'leave.cancelled': 'leave',
  'leave.removed': 'leave',
  'vacation.booked': 'vacation',
  'commitment.made': 'commitment',
  'commitment.anchored': 'commitment',
  'commitment.contradicted': 'commitment',
  'user.created': 'user',
  'user.changed': 'user',
  'user.deactivated': 'user',
  'user.removed': 'user',
  'link.ended': 'link',
};
const eventTypes = Object.keys(familyOf) as EventType[];

export function typesOfFamily(family: EventFamily): EventType[] {
  return eventTypes.filter((type) => familyOf[type] === family);
}

/** The values of the form: texts as typed. */
export interface Settings {
  readonly name: string;
  readonly description: string;
  readonly mode: Extension['mode'];
  readonly webhookUrl: string;
  readonly scopes: readonly ScopeName[];
  readonly acting: Extension['acting'];
  readonly companyId: string;
  readonly leading: boolean;
  readonly linking: boolean;
  readonly redirects: string;
  readonly lifetime: string;
  readonly keyReads: Extension['key_reads'];
  readonly eventTypes: readonly EventType[];
}

/** The narrowest settings that work: for one company, and the key reads no one until an admin chooses. */
export const newSettings = (companyId: number): Settings => ({
  name: '',
  description: '',
  mode: 'api',
  webhookUrl: '',
  scopes: [],
  acting: 'personal_link',
  companyId: String(companyId),
  leading: false,
  linking: false,
  redirects: '',
  lifetime: '90',
  keyReads: 'nothing',
  eventTypes,
});

export function settingsOf(extension: Extension): Settings {
  return {
    name: extension.name,
    description: extension.description ?? '',
    mode: extension.mode,
    webhookUrl: extension.webhook_url ?? '',
    scopes: extension.scopes,
    acting: extension.acting,
    companyId: extension.company_id === undefined ? '' : String(extension.company_id),
    leading: extension.absences_count_as_approved,
    linking: extension.linking,
    redirects: extension.redirect_uris.join('\n'),
    lifetime: String(extension.link_lifetime_days),
    keyReads: extension.key_reads,
    eventTypes: eventTypes.filter((type) => extension.event_types?.includes(type) !== false),
  };
}

/** The members that have a value in any case. */
function requiredMembers(settings: Settings) {
  return {
    name: settings.name.trim(),
    mode: settings.mode,
    scopes: [...settings.scopes],
    acting: settings.acting,
    absences_count_as_approved: settings.leading,
    linking: settings.linking,
    redirect_uris: linesOf(settings.redirects),
    link_lifetime_days: Number(settings.lifetime),
    key_reads: settings.keyReads,
  };
}

/** Null for every type, also for those of later versions. */
function chosenTypes({ eventTypes: selectedTypes }: Settings): EventType[] | null {
  return selectedTypes.length === eventTypes.length ? null : eventTypes.filter((type) => selectedTypes.includes(type));
}

export function inputOf(settings: Settings): Schemas['ExtensionInput'] {
  const { description, companyId, webhookUrl, mode } = settings;
  const types = chosenTypes(settings);
  return {
    ...requiredMembers(settings),
    ...(types === null ? {} : { event_types: types }),
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(companyId === '' ? {} : { company_id: Number(companyId) }),
    ...(mode !== 'webhooks' || webhookUrl.trim() === '' ? {} : { webhook_url: webhookUrl.trim() }),
  };
}

/** A merge patch (RFC 7396) of the differences; null takes a member away. */
export function changeOf(before: Settings, after: Settings): Schemas['ExtensionChange'] {
  const allMembersOf = (settings: Settings): Record<string, unknown> => ({
    ...requiredMembers(settings),
    event_types: chosenTypes(settings),
    description: settings.description.trim() || null,
    company_id: settings.companyId === '' ? null : Number(settings.companyId),
    webhook_url: settings.mode === 'webhooks' ? settings.webhookUrl.trim() || null : null,
  });
  const [oldMembers, newMembers] = [allMembersOf(before), allMembersOf(after)];
  return Object.fromEntries(
    Object.entries(newMembers).filter(
      ([member, value]) => JSON.stringify(value) !== JSON.stringify(oldMembers[member]),
    ),
  ) as Schemas['ExtensionChange'];
}

/** The addresses in the request: one a line, empty lines left out. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
