/**
 * The handlers of both documents, from the rooms: their `api.ts` and `app.ts`, and files whose names end so. Each is
 * exported by the name of its operation, and nothing else is.
 */
import * as absencesApi from './absences/api.js';
import * as absencesDecidersSubstitutesApp from './absences/deciders/substitutes-app.js';
import * as absencesMyAbsencesApp from './absences/my-absences-app.js';
import * as absencesPersonAbsencesApp from './absences/person-absences-app.js';
import * as absencesTypesApp from './absences/types-app.js';
import * as absencesVacationBookingsApp from './absences/vacation/bookings-app.js';
import * as absencesVacationCompanyEntitlementsApp from './absences/vacation/company-entitlements-app.js';
import * as absencesVacationEntitlementsApp from './absences/vacation/entitlements-app.js';
import * as absencesVacationPolicyApp from './absences/vacation/policy-app.js';
import * as accessApp from './access/app.js';
import * as accessCompanySignInApp from './access/company-sign-in/app.js';
import * as accessIntegrationsApp from './access/integrations/app.js';
import * as accessIntegrationsEventsApp from './access/integrations/events-app.js';
import * as accessIntegrationsPeopleAccessApp from './access/integrations/people-access-app.js';
import * as accessIntegrationsSecretsApp from './access/integrations/secrets-app.js';
import * as accessLiveApp from './access/live-app.js';
import * as accessMeApi from './access/me-api.js';
import * as accessOauthApi from './access/oauth/api.js';
import * as accessOauthConsentApp from './access/oauth/consent-app.js';
import * as accessOauthLinkedAppsApp from './access/oauth/linked-apps-app.js';
import * as accessProfileApp from './access/profile-app.js';
import * as accessProofLinkApp from './access/proof-link-app.js';
import * as accessSecondFactorApp from './access/second-factor/app.js';
import * as accessSecondFactorPasskeysApp from './access/second-factor/passkeys-app.js';
import * as accessSessionsApp from './access/sessions-app.js';
import * as clockApi from './clock/api.js';
import * as clockApp from './clock/app.js';
import * as clockApprovalsApp from './clock/approvals-app.js';
import * as clockBulkCorrectionsApp from './clock/bulk-corrections-app.js';
import * as clockEntriesApi from './clock/entries-api.js';
import * as clockEntriesApp from './clock/entries-app.js';
import * as clockTeamApp from './clock/team-app.js';
import * as clockUnresolvedStampsApp from './clock/unresolved-stamps-app.js';
import * as extensionsApi from './extensions/api.js';
import * as extensionsSocketApi from './extensions/socket/api.js';
import * as extensionsSocketApp from './extensions/socket/app.js';
import * as extensionsStatusApi from './extensions/status-api.js';
import * as extensionsWebhooksApp from './extensions/webhooks/app.js';
import * as hrAuditLogApp from './hr/audit-log-app.js';
import * as hrCompaniesApp from './hr/companies-app.js';
import * as hrDepartmentsApp from './hr/departments-app.js';
import * as hrHolidaysApp from './hr/holidays-app.js';
import * as hrPeopleApp from './hr/people-app.js';
import * as hrPeopleImportApp from './hr/people-import-app.js';
import * as hrSchedulesApp from './hr/schedules-app.js';
import type { ApiHandlers, ApiRequest, AppHandlers, Parts } from './http/handler.js';
import * as inboxNoticesApp from './inbox/notices-app.js';
import * as monthsAccountsApi from './months/accounts/api.js';
import * as monthsAccountsApp from './months/accounts/app.js';

import * as monthsMyPeopleApp from './months/my-people-app.js';
import * as monthsMyTimeApp from './months/my-time-app.js';
import * as monthsOverviewApp from './months/overview-app.js';
import * as monthsPayrollApp from './months/payroll/app.js';
import * as monthsReportsApp from './months/reports-app.js';
import * as monthsSheetsApp from './months/sheets/app.js';
import * as monthsTimeOfPersonApp from './months/time-of-person-app.js';
import * as peopleApi from './people/api.js';
import { tenantOf } from './people/caller.js';
import * as proofsApi from './proofs/api.js';
import * as proofsApp from './proofs/app.js';
import * as proofsHandOutApp from './proofs/hand-out-app.js';
import * as proofsMeApi from './proofs/me-api.js';
import * as proofsOwnProofsApp from './proofs/own-proofs-app.js';
import * as terminalsApi from './terminals/api.js';
import * as terminalsApp from './terminals/app.js';
import * as terminalsBadgesApp from './terminals/badges/app.js';
import * as terminalsCardKeysApp from './terminals/card-keys-app.js';
import * as terminalsOfflineApi from './terminals/offline-api.js';
import * as terminalsPairingApi from './terminals/pairing-api.js';
import * as workingTimeEvaluationsApp from './working-time/evaluations-app.js';
import * as workingTimeSpecialRulesApp from './working-time/special-rules-app.js';

type Request = Pick<ApiRequest<'listTimeEntries'>, 'authorize' | 'method' | 'signal'> & {
  readonly caller: Parameters<typeof tenantOf>[0];
};

/** Adds the parts to the request itself: a copy would read its `signal`, which listens to the connection. */
function withParts(request: Request, { db: store, ...parts }: Parts): never {
  const db = store.authorizedBy(request.authorize);
  const readMethods =
    request.method === 'GET' ? db.readsOf({ tenant: tenantOf(request.caller), signal: request.signal }) : undefined;
  return Object.assign(request, parts, { db: { ...db, ...readMethods } }) as never;
}

/** An operation without a handler, and an export that is none, do not compile. */
function compose<Handlers extends object>() {
  return <All extends Handlers>(handlers: All & { readonly [Other in Exclude<keyof All, keyof Handlers>]: never }) =>
    (parts: Parts): Readonly<Record<keyof Handlers & string, (request: never) => unknown>> =>
      Object.fromEntries(
        Object.entries<(request: never) => unknown>(handlers).map(([id, handle]) => [
          id,
          (request: Request) => handle(withParts(request, parts)),
        ]),
      ) as never;
}

export const apiHandlers = compose<ApiHandlers>()({
  ...absencesApi,
  ...accessMeApi,
  ...accessOauthApi,
  ...clockApi,
  ...clockEntriesApi,
  ...extensionsApi,
  ...extensionsSocketApi,
  ...extensionsStatusApi,
  ...monthsAccountsApi,
  ...proofsApi,
  ...proofsMeApi,
  ...peopleApi,
  ...terminalsApi,
  ...terminalsOfflineApi,
  ...terminalsPairingApi,
});

export const appHandlers = compose<AppHandlers>()({
  ...absencesMyAbsencesApp,
  ...absencesPersonAbsencesApp,
  ...absencesDecidersSubstitutesApp,
  ...absencesTypesApp,
  ...absencesVacationBookingsApp,
  ...absencesVacationCompanyEntitlementsApp,
  ...absencesVacationEntitlementsApp,
  ...absencesVacationPolicyApp,
  ...accessApp,
  ...accessCompanySignInApp,
  ...accessIntegrationsApp,
  ...accessIntegrationsEventsApp,
  ...accessIntegrationsPeopleAccessApp,
  ...accessIntegrationsSecretsApp,
  ...accessLiveApp,
  ...accessOauthConsentApp,
  ...accessOauthLinkedAppsApp,
  ...accessProfileApp,
  ...accessProofLinkApp,
  ...accessSecondFactorApp,
  ...accessSecondFactorPasskeysApp,
  ...accessSessionsApp,
  ...clockApp,
  ...clockApprovalsApp,
  ...clockUnresolvedStampsApp,
  ...clockBulkCorrectionsApp,
  ...clockEntriesApp,
  ...clockTeamApp,
  ...extensionsSocketApp,
  ...extensionsWebhooksApp,
  ...hrAuditLogApp,
  ...hrCompaniesApp,
  ...hrHolidaysApp,
  ...hrDepartmentsApp,
  ...hrPeopleApp,
  ...hrPeopleImportApp,
  ...hrSchedulesApp,
  ...inboxNoticesApp,
  ...monthsAccountsApp,
  ...proofsApp,
  ...proofsHandOutApp,
  ...proofsOwnProofsApp,
  ...monthsMyPeopleApp,
  ...monthsMyTimeApp,
  ...monthsOverviewApp,
  ...monthsPayrollApp,
  ...monthsReportsApp,
  ...monthsSheetsApp,
  ...monthsTimeOfPersonApp,
  ...terminalsApp,
  ...terminalsBadgesApp,
  ...terminalsCardKeysApp,
  ...workingTimeEvaluationsApp,
  ...workingTimeSpecialRulesApp,
});
