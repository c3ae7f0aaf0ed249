/**
 * Every migration of the service, in the order of application.
 *
 * A new one goes to the end, in a file named by its id; its id sorts after all others. A released one never changes:
 * `released.json` holds the checksums. The ids of the first versions are not in order; installations have recorded them.
 */
import type { Migration } from '@clockproof/platform/database/database';
import { sharedRateLimitMigration } from '@clockproof/platform/http/shared-rate-limit';
import { installation } from './0001-installation.js';
import { audit } from './0010-audit.js';
import { auditByActor } from './0012-audit-by-actor.js';
import { auditParties } from './0014-audit-parties.js';
import { events } from './0020-events.js';
import { idempotency } from './0030-idempotency.js';
import { people } from './0040-people.js';
import { extensions } from './0050-extensions.js';
import { extensionAdministration } from './0052-extension-administration.js';
import { months } from './0060-months.js';
import { clocking } from './0080-clocking.js';
import { absences } from './0090-absences.js';
import { dataKey } from './0100-data-key.js';
import { schedules } from './0100-schedules.js';
import { rolesAndBalancesOfPeople } from './0102-roles-and-balances-of-people.js';
import { approvals } from './0104-approvals.js';
import { monthSteps } from './0105-month-steps.js';
import { entriesByTime } from './0106-entries-by-time.js';
import { corrections } from './0107-corrections.js';
import { badges } from './0110-badges.js';
import { monthBalances } from './0110-month-balances.js';
import { terminals } from './0120-terminals.js';
import { signIn } from './0150-sign-in.js';
import { oauth } from './0160-oauth.js';
import { webhookSecrets } from './0170-webhook-secrets.js';
import { removals } from './0200-removals.js';
import { passkeys } from './0210-passkeys.js';
import { auditOfLinks } from './0220-audit-of-links.js';
import { optimisticStamps } from './0300-optimistic-stamps.js';
import { eventsOfExtensions } from './0320-events-of-extensions.js';
import { trackedFrom } from './0410-tracked-from.js';
import { sourcesOfStamps } from './0420-sources-of-stamps.js';
import { pairingCodesAndKeys } from './0430-pairing-codes-and-keys.js';
import { keyReads } from './0431-key-reads.js';
import { passwordTries } from './0432-password-tries.js';
import { webhookDeliveries } from './0500-webhook-deliveries.js';
import { records } from './0510-records.js';
import { personChanges } from './0520-person-changes.js';
import { eventTypesOfExtensions } from './0530-event-types-of-extensions.js';
import { socketConnections } from './0540-socket-connections.js';
import { notices } from './0550-notices.js';
import { dueDeliveries } from './0551-due-deliveries.js';
import { clientsOfConnections } from './0570-clients-of-connections.js';
import { certainStamps } from './0580-certain-stamps.js';
import { offlineStamps } from './0581-offline-stamps.js';
import { cardTimings } from './0582-card-timings.js';
import { wantedStamps } from './0583-wanted-stamps.js';
import { entrances } from './0590-entrances.js';
import { dataKeys } from './0610-data-keys.js';
import { mail } from './0700-mail.js';
import { cardKeys } from './0710-card-keys.js';
import { substitutes } from './0750-substitutes.js';
import { subjectsOfNotices } from './0800-subjects-of-notices.js';
import { seenByColleagues } from './0801-seen-by-colleagues.js';
import { vacationBookings } from './0900-vacation-bookings.js';
import { proRata } from './0901-pro-rata.js';
import { looksOfAbsenceTypes } from './0902-looks-of-absence-types.js';
import { companySignIn } from './1050-company-sign-in.js';
import { monthSignOffs } from './1150-month-sign-offs.js';
import { timeBookings } from './1160-time-bookings.js';
import { payrollSettings } from './1170-payroll-settings.js';
import { evaluationSwitches } from './1171-evaluation-switches.js';
import { rememberedMonths } from './1190-remembered-months.js';
import { specialRules } from './1250-special-rules.js';

export const migrations: readonly Migration[] = [
  sharedRateLimitMigration,
  installation,
  audit,
  auditByActor,
  auditParties,
  events,
  idempotency,
  people,
  rolesAndBalancesOfPeople,
  extensions,
  extensionAdministration,
  months,
  monthSteps,
  clocking,
  entriesByTime,
  dataKey,
  badges,
  terminals,
  schedules,
  approvals,
  corrections,
  monthBalances,
  absences,
  removals,
  signIn,
  oauth,
  passkeys,
  webhookSecrets,
  auditOfLinks,
  optimisticStamps,
  eventsOfExtensions,
  trackedFrom,
  sourcesOfStamps,
  pairingCodesAndKeys,
  keyReads,
  passwordTries,
  webhookDeliveries,
  records,
  personChanges,
  eventTypesOfExtensions,
  socketConnections,
  notices,
  dueDeliveries,
  clientsOfConnections,
  certainStamps,
  offlineStamps,
  cardTimings,
  wantedStamps,
  entrances,
  dataKeys,
  mail,
  cardKeys,
  substitutes,
  subjectsOfNotices,
  seenByColleagues,
  vacationBookings,
  proRata,
  looksOfAbsenceTypes,
  companySignIn,
  monthSignOffs,
  timeBookings,
  payrollSettings,
  evaluationSwitches,
  rememberedMonths,
  specialRules,
];
