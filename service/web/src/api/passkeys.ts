/** Passkeys: the service asks, the browser and the device in the person's hand answer. */
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { ask, client, Problem } from './ask.js';
import type { Schemas } from './session.js';

/** The browser's refusals (W3C Web Authentication §5.1.3 and §5.1.4), as codes of these pages. */
const refusals: Readonly<Record<string, string>> = {
  // The person closed the browser's window, or no device answered in time: browsers do not tell these apart.
  NotAllowedError: 'passkey_cancelled',
  AbortError: 'passkey_cancelled',
  // A device that holds one of the excluded passkeys.
  InvalidStateError: 'passkey_known',
};

/** Passkeys need https (or the own computer) and a current browser. */
export function passkeysWork(): boolean {
  return browserSupportsWebAuthn();
}

/** A signature of one of the person's passkeys. @throws Problem also `passkey_cancelled`, `passkey_failed` */
export async function signWithPasskey(): Promise<Schemas['PasskeyAssertion']> {
  const { public_key: options } = await ask(client.POST('/app/second-factor/passkeys/request'));
  const {
    id,
    response: { clientDataJSON, authenticatorData, signature },
  } = await inBrowser(() => startAuthentication({ optionsJSON: options }));
  return { id, response: { clientDataJSON, authenticatorData, signature } };
}

/**
 * Makes a passkey out of the options of the service. @throws Problem also `passkey_cancelled`, `passkey_known`,
 * `passkey_failed`
 */
export async function makePasskey(
  options: Schemas['PublicKeyCredentialCreationOptions'],
): Promise<Schemas['PasskeyRegistration']> {
  const {
    id,
    response: { clientDataJSON, attestationObject, transports },
  } = await inBrowser(() => startRegistration({ optionsJSON: options }));
  return { id, response: { clientDataJSON, attestationObject, transports } };
}

async function inBrowser<Result>(ceremony: () => Promise<Result>): Promise<Result> {
  try {
    return await ceremony();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw new Problem(refusals[name] ?? 'passkey_failed', undefined, [], undefined);
  }
}

/** The system this browser runs on, as people call it; undefined where it does not say. */
export function systemName(): string | undefined {
  const names: Readonly<Record<string, string>> = { Macintosh: 'Mac', CrOS: 'Chromebook' };
  const system = /(Android|iPhone|iPad|Windows|CrOS|Macintosh|Linux)/.exec(navigator.userAgent)?.[1];
  return system === undefined ? undefined : (names[system] ?? system);
}
