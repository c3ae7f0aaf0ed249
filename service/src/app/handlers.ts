/** A handler for every operation of the pages. Forgetting one is a compile error. */
import type { Handlers } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/app-types.js';
import { invitePerson } from './admin/invitePerson.js';
import { resetSecondFactor } from './admin/resetSecondFactor.js';
import type { AppNeeds } from './needs.js';
import { notImplemented, notYet } from './not-implemented.js';
import { changePassword } from './profile/changePassword.js';
import { updateProfile } from './profile/updateProfile.js';
import { confirmSecondFactor } from './second-factor/confirmSecondFactor.js';
import { enrolSecondFactor } from './second-factor/enrolSecondFactor.js';
import { proveSecondFactor } from './second-factor/proveSecondFactor.js';
import { removeSecondFactor } from './second-factor/removeSecondFactor.js';
import { renewRecoveryCodes } from './second-factor/renewRecoveryCodes.js';
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

export function appHandlers(needs: AppNeeds) {
  const later = Object.fromEntries(notImplemented.map((id) => [id, notYet])) as Record<(typeof notImplemented)[number], typeof notYet>;
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
    invitePerson: invitePerson(needs),
    resetSecondFactor: resetSecondFactor(needs),
    ...later,
  } satisfies Handlers<operations, never>;
}
