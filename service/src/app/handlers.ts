/** A handler for every operation of the pages. Forgetting one is a compile error. */
import type { Handlers } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/app-types.js';
import { addSchedule } from './admin/addSchedule.js';
import { closeMonth } from './admin/closeMonth.js';
import { createAbsenceType } from './admin/createAbsenceType.js';
import { createCompany } from './admin/createCompany.js';
import { createDepartment } from './admin/createDepartment.js';
import { createExtension } from './admin/createExtension.js';
import { createPerson } from './admin/createPerson.js';
import { deactivatePerson } from './admin/deactivatePerson.js';
import { deleteAbsenceType } from './admin/deleteAbsenceType.js';
import { deleteDepartment } from './admin/deleteDepartment.js';
import { deleteExtension } from './admin/deleteExtension.js';
import { endExtensionLink } from './admin/endExtensionLink.js';
import { endPreviousKey } from './admin/endPreviousKey.js';
import { erasePerson } from './admin/erasePerson.js';
import { exportAuditLog } from './admin/exportAuditLog.js';
import { invitePerson } from './admin/invitePerson.js';
import { listAbsenceTypes } from './admin/listAbsenceTypes.js';
import { listAllCompanies } from './admin/listAllCompanies.js';
import { listAuditEntries } from './admin/listAuditEntries.js';
import { listDepartments } from './admin/listDepartments.js';
import { listEntitlements } from './admin/listEntitlements.js';
import { listExtensionLinks } from './admin/listExtensionLinks.js';
import { listExtensions } from './admin/listExtensions.js';
import { listHolidays } from './admin/listHolidays.js';
import { listMonths } from './admin/listMonths.js';
import { listPeople } from './admin/listPeople.js';
import { listSchedules } from './admin/listSchedules.js';
import { pingExtension } from './admin/pingExtension.js';
import { reactivatePerson } from './admin/reactivatePerson.js';
import { removeSchedule } from './admin/removeSchedule.js';
import { renameDepartment } from './admin/renameDepartment.js';
import { reopenMonth } from './admin/reopenMonth.js';
import { resetSecondFactor } from './admin/resetSecondFactor.js';
import { rotateKey } from './admin/rotateKey.js';
import { rotateWebhookSecret } from './admin/rotateWebhookSecret.js';
import { setEntitlement } from './admin/setEntitlement.js';
import { setOpeningBalance } from './admin/setOpeningBalance.js';
import { setRoles } from './admin/setRoles.js';
import { showAccess } from './admin/showAccess.js';
import { showCompany } from './admin/showCompany.js';
import { showExtension } from './admin/showExtension.js';
import { showOpeningBalance } from './admin/showOpeningBalance.js';
import { showPerson } from './admin/showPerson.js';
import { updateAbsenceType } from './admin/updateAbsenceType.js';
import { updateAccess } from './admin/updateAccess.js';
import { updateCompany } from './admin/updateCompany.js';
import { updateExtension } from './admin/updateExtension.js';
import { updatePerson } from './admin/updatePerson.js';
import { approveRequest } from './approvals/approveRequest.js';
import { listApprovals } from './approvals/listApprovals.js';
import { rejectRequest } from './approvals/rejectRequest.js';
import { decideConsent } from './consent/decideConsent.js';
import { showConsent } from './consent/showConsent.js';
import { listEntryHistory } from './entries/listEntryHistory.js';
import { endLinkedApp } from './linked-apps/endLinkedApp.js';
import { listAppActivity } from './linked-apps/listAppActivity.js';
import { listLinkedAppActivity } from './linked-apps/listLinkedAppActivity.js';
import { listLinkedApps } from './linked-apps/listLinkedApps.js';
import { changeMyAbsence } from './me/changeMyAbsence.js';
import { clockMyselfIn } from './me/clockMyselfIn.js';
import { clockMyselfOut } from './me/clockMyselfOut.js';
import { endMyBreak } from './me/endMyBreak.js';
import { listMyAbsences } from './me/listMyAbsences.js';
import { listMyAbsenceTypes } from './me/listMyAbsenceTypes.js';
import { listMyCorrections } from './me/listMyCorrections.js';
import { listMyDays } from './me/listMyDays.js';
import { listMyEntries } from './me/listMyEntries.js';
import { listMyEntryHistory } from './me/listMyEntryHistory.js';
import { listMyHolidays } from './me/listMyHolidays.js';
import { listMyMonths } from './me/listMyMonths.js';
import { previewMyAbsence } from './me/previewMyAbsence.js';
import { requestCorrection } from './me/requestCorrection.js';
import { requestMyAbsence } from './me/requestMyAbsence.js';
import { showMyVacation } from './me/showMyVacation.js';
import { showOverview } from './me/showOverview.js';
import { startMyBreak } from './me/startMyBreak.js';
import { withdrawCorrection } from './me/withdrawCorrection.js';
import { withdrawMyAbsence } from './me/withdrawMyAbsence.js';
import type { AppNeeds } from './needs.js';
import { notImplemented, notYet } from './not-implemented.js';
import { correctEntry } from './people/correctEntry.js';
import { listDaysOfPerson } from './people/listDaysOfPerson.js';
import { listEntriesOfPerson } from './people/listEntriesOfPerson.js';
import { listMonthsOfPerson } from './people/listMonthsOfPerson.js';
import { recordAbsence } from './people/recordAbsence.js';
import { showVacationOfPerson } from './people/showVacationOfPerson.js';
import { changePassword } from './profile/changePassword.js';
import { updateProfile } from './profile/updateProfile.js';
import { exportMonthReport } from './reports/exportMonthReport.js';
import { listFindings } from './reports/listFindings.js';
import { listMonthReport } from './reports/listMonthReport.js';
import { addPasskey } from './second-factor/addPasskey.js';
import { beginPasskey } from './second-factor/beginPasskey.js';
import { confirmSecondFactor } from './second-factor/confirmSecondFactor.js';
import { enrolSecondFactor } from './second-factor/enrolSecondFactor.js';
import { listPasskeys } from './second-factor/listPasskeys.js';
import { proveSecondFactor } from './second-factor/proveSecondFactor.js';
import { removePasskey } from './second-factor/removePasskey.js';
import { removeSecondFactor } from './second-factor/removeSecondFactor.js';
import { renamePasskey } from './second-factor/renamePasskey.js';
import { renewRecoveryCodes } from './second-factor/renewRecoveryCodes.js';
import { requestPasskey } from './second-factor/requestPasskey.js';
import { showSecondFactor } from './second-factor/showSecondFactor.js';
import { endOtherSessions } from './session/endOtherSessions.js';
import { endSession } from './session/endSession.js';
import { listSessions } from './session/listSessions.js';
import { showSession } from './session/showSession.js';
import { acceptInvitation } from './sign-in/acceptInvitation.js';
import { checkInvitation } from './sign-in/checkInvitation.js';
import { confirmSignIn } from './sign-in/confirmSignIn.js';
import { setUp } from './sign-in/setUp.js';
import { showInstallation } from './sign-in/showInstallation.js';
import { signIn } from './sign-in/signIn.js';
import { signOut } from './sign-in/signOut.js';
import { listTeamAbsences } from './team/listTeamAbsences.js';
import { listTeamClockStates } from './team/listTeamClockStates.js';

export function appHandlers(needs: AppNeeds) {
  const later = Object.fromEntries(notImplemented.map((id) => [id, notYet])) as Record<
    (typeof notImplemented)[number],
    typeof notYet
  >;
  return {
    showInstallation: showInstallation(needs),
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
    pingExtension: pingExtension(needs),
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
    listMonths: listMonths(needs),
    closeMonth: closeMonth(needs),
    reopenMonth: reopenMonth(needs),
    listPeople: listPeople(needs),
    createPerson: createPerson(needs),
    showPerson: showPerson(needs),
    updatePerson: updatePerson(needs),
    deactivatePerson: deactivatePerson(needs),
    reactivatePerson: reactivatePerson(needs),
    setRoles: setRoles(needs),
    listSchedules: listSchedules(needs),
    addSchedule: addSchedule(needs),
    removeSchedule: removeSchedule(needs),
    showOpeningBalance: showOpeningBalance(needs),
    setOpeningBalance: setOpeningBalance(needs),
    ...later,
  } satisfies Handlers<operations, never>;
}
