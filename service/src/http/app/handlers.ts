/** A handler for every operation of the pages. Forgetting one is a compile error. */
import type { Handlers } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { createAbsenceType, deleteAbsenceType, listAbsenceTypes, updateAbsenceType } from './absence-types.js';
import { showAccess, updateAccess } from './access.js';
import { approveRequest, listApprovals, rejectRequest } from './approvals.js';
import { exportAuditLog, listAuditEntries } from './audit-log.js';
import { createCompany, listAllCompanies, listHolidays, showCompany, updateCompany } from './companies.js';
import { listConnections } from './connections.js';
import { decideConsent, showConsent } from './consent.js';
import { listDeliveries, previewRecovery, recoverDeliveries, resendDelivery, showDelivery } from './deliveries.js';
import { createDepartment, deleteDepartment, listDepartments, renameDepartment } from './departments.js';
import { listEntitlements, setEntitlement, setOpeningBalance, showOpeningBalance } from './entitlements.js';
import { correctEntry, listEntryHistory } from './entries.js';
import { endPreviousKey, pingExtension, rotateKey, rotateWebhookSecret } from './extension-secrets.js';
import {
  createExtension,
  deleteExtension,
  endExtensionLink,
  listExtensionLinks,
  listExtensions,
  showExtension,
  updateExtension,
} from './extensions.js';
import { endLinkedApp, listAppActivity, listLinkedAppActivity, listLinkedApps } from './linked-apps.js';
import { followChanges } from './live.js';
import { closeMonth, listMonths, reopenMonth } from './months.js';
import {
  changeMyAbsence,
  listMyAbsences,
  listMyAbsenceTypes,
  listMyHolidays,
  previewMyAbsence,
  requestMyAbsence,
  showMyVacation,
  withdrawMyAbsence,
} from './my-absences.js';
import { clockMyselfIn, clockMyselfOut, endMyBreak, showOverview, startMyBreak } from './my-clock.js';
import {
  listMyCorrections,
  listMyDays,
  listMyEntries,
  listMyEntryHistory,
  listMyMonths,
  requestCorrection,
  withdrawCorrection,
} from './my-time.js';
import type { AppNeeds } from './needs.js';
import { notImplemented, notYet } from './not-implemented.js';
import { listNotices, readNotices } from './notices.js';
import { addPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey, requestPasskey } from './passkeys.js';
import {
  createPerson,
  deactivatePerson,
  erasePerson,
  invitePerson,
  listPeople,
  previewEmploymentEnd,
  reactivatePerson,
  resetSecondFactor,
  setRoles,
  showPerson,
  updatePerson,
} from './people.js';
import { changePassword, updateProfile } from './profile.js';
import { exportMonthReport, listFindings, listMonthReport } from './reports.js';
import { addSchedule, listSchedules, removeSchedule } from './schedules.js';
import {
  confirmSecondFactor,
  enrolSecondFactor,
  proveSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  showSecondFactor,
} from './second-factor.js';
import { endOtherSessions, endSession, listSessions, showSession } from './sessions.js';
import {
  acceptInvitation,
  checkInvitation,
  confirmSignIn,
  setUp,
  showInstallation,
  signIn,
  signOut,
} from './sign-in.js';
import { listTeamAbsences, listTeamClockStates } from './team.js';
import {
  listDaysOfPerson,
  listEntriesOfPerson,
  listMonthsOfPerson,
  recordAbsence,
  showVacationOfPerson,
} from './time-of-person.js';
import {
  carryOverVacation,
  setApprovalRule,
  setVacationPolicy,
  showApprovalRule,
  showVacationPolicy,
} from './vacation-policy.js';

export function appHandlers(needs: AppNeeds) {
  const later = Object.fromEntries(notImplemented.map((id) => [id, notYet])) as Record<
    (typeof notImplemented)[number],
    typeof notYet
  >;
  return {
    showInstallation: showInstallation(needs),
    followChanges: followChanges(needs),
    setUp: setUp(needs),
    checkInvitation: checkInvitation(needs),
    acceptInvitation: acceptInvitation(needs),
    signIn: signIn(needs),
    confirmSignIn: confirmSignIn(needs),
    signOut: signOut(needs),
    showSession: showSession(needs),
    listSessions: listSessions(needs),
    endSession: endSession(needs),
    endOtherSessions: endOtherSessions(needs),
    updateProfile: updateProfile(needs),
    changePassword: changePassword(needs),
    showSecondFactor: showSecondFactor(needs),
    enrolSecondFactor: enrolSecondFactor(needs),
    confirmSecondFactor: confirmSecondFactor(needs),
    proveSecondFactor: proveSecondFactor(needs),
    renewRecoveryCodes: renewRecoveryCodes(needs),
    removeSecondFactor: removeSecondFactor(needs),
    listPasskeys: listPasskeys(needs),
    beginPasskey: beginPasskey(needs),
    addPasskey: addPasskey(needs),
    requestPasskey: requestPasskey(needs),
    renamePasskey: renamePasskey(needs),
    removePasskey: removePasskey(needs),
    invitePerson: invitePerson(needs),
    resetSecondFactor: resetSecondFactor(needs),
    changeMyAbsence: changeMyAbsence(needs),
    listMyAbsences: listMyAbsences(needs),
    listMyAbsenceTypes: listMyAbsenceTypes(needs),
    previewMyAbsence: previewMyAbsence(needs),
    requestMyAbsence: requestMyAbsence(needs),
    showMyVacation: showMyVacation(needs),
    withdrawMyAbsence: withdrawMyAbsence(needs),
    recordAbsence: recordAbsence(needs),
    showVacationOfPerson: showVacationOfPerson(needs),
    listTeamAbsences: listTeamAbsences(needs),
    createAbsenceType: createAbsenceType(needs),
    deleteAbsenceType: deleteAbsenceType(needs),
    erasePerson: erasePerson(needs),
    listAbsenceTypes: listAbsenceTypes(needs),
    listEntitlements: listEntitlements(needs),
    setEntitlement: setEntitlement(needs),
    updateAbsenceType: updateAbsenceType(needs),
    createExtension: createExtension(needs),
    deleteExtension: deleteExtension(needs),
    endExtensionLink: endExtensionLink(needs),
    endPreviousKey: endPreviousKey(needs),
    exportAuditLog: exportAuditLog(needs),
    listAuditEntries: listAuditEntries(needs),
    listExtensionLinks: listExtensionLinks(needs),
    listExtensions: listExtensions(needs),
    listDeliveries: listDeliveries(needs),
    showDelivery: showDelivery(needs),
    listNotices: listNotices(needs),
    listConnections: listConnections(needs),
    previewRecovery: previewRecovery(needs),
    readNotices: readNotices(needs),
    pingExtension: pingExtension(needs),
    recoverDeliveries: recoverDeliveries(needs),
    resendDelivery: resendDelivery(needs),
    rotateKey: rotateKey(needs),
    rotateWebhookSecret: rotateWebhookSecret(needs),
    showAccess: showAccess(needs),
    showExtension: showExtension(needs),
    updateAccess: updateAccess(needs),
    updateExtension: updateExtension(needs),
    showConsent: showConsent(needs),
    decideConsent: decideConsent(needs),
    listLinkedApps: listLinkedApps(needs),
    endLinkedApp: endLinkedApp(needs),
    listLinkedAppActivity: listLinkedAppActivity(needs),
    listAppActivity: listAppActivity(needs),
    showOverview: showOverview(needs),
    clockMyselfIn: clockMyselfIn(needs),
    clockMyselfOut: clockMyselfOut(needs),
    startMyBreak: startMyBreak(needs),
    endMyBreak: endMyBreak(needs),
    listMyEntries: listMyEntries(needs),
    listMyEntryHistory: listMyEntryHistory(needs),
    listMyDays: listMyDays(needs),
    listMyMonths: listMyMonths(needs),
    listMyCorrections: listMyCorrections(needs),
    requestCorrection: requestCorrection(needs),
    withdrawCorrection: withdrawCorrection(needs),
    listMyHolidays: listMyHolidays(),
    listTeamClockStates: listTeamClockStates(needs),
    listApprovals: listApprovals(needs),
    approveRequest: approveRequest(needs),
    rejectRequest: rejectRequest(needs),
    listEntriesOfPerson: listEntriesOfPerson(needs),
    listDaysOfPerson: listDaysOfPerson(needs),
    listMonthsOfPerson: listMonthsOfPerson(needs),
    correctEntry: correctEntry(needs),
    listEntryHistory: listEntryHistory(needs),
    listMonthReport: listMonthReport(needs),
    exportMonthReport: exportMonthReport(needs),
    listFindings: listFindings(needs),
    listAllCompanies: listAllCompanies(needs),
    createCompany: createCompany(needs),
    showCompany: showCompany(needs),
    updateCompany: updateCompany(needs),
    listDepartments: listDepartments(needs),
    createDepartment: createDepartment(needs),
    deleteDepartment: deleteDepartment(needs),
    renameDepartment: renameDepartment(needs),
    listHolidays: listHolidays(needs),
    showVacationPolicy: showVacationPolicy(needs),
    setVacationPolicy: setVacationPolicy(needs),
    carryOverVacation: carryOverVacation(needs),
    showApprovalRule: showApprovalRule(needs),
    setApprovalRule: setApprovalRule(needs),
    listMonths: listMonths(needs),
    closeMonth: closeMonth(needs),
    reopenMonth: reopenMonth(needs),
    listPeople: listPeople(needs),
    createPerson: createPerson(needs),
    showPerson: showPerson(needs),
    updatePerson: updatePerson(needs),
    deactivatePerson: deactivatePerson(needs),
    reactivatePerson: reactivatePerson(needs),
    previewEmploymentEnd: previewEmploymentEnd(needs),
    setRoles: setRoles(needs),
    listSchedules: listSchedules(needs),
    addSchedule: addSchedule(needs),
    removeSchedule: removeSchedule(needs),
    showOpeningBalance: showOpeningBalance(needs),
    setOpeningBalance: setOpeningBalance(needs),
    ...later,
  } satisfies Handlers<operations, never>;
}
