import { minute } from '@clockproof/platform/time/instant';
import { expect, it } from '@jest/globals';
import { codeOf, password } from '../browser.js';
import { describeInBrowser, faultsOf, type Person, signOutOf, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('passkeys, in a browser', () => {
  const stage = useChromium((world) => giveFactors(world, [world.people.ada, world.people.ben]));

  /** A fingerprint reader in the person's computer, and a finger on it. */
  async function addDevice(person: Person): Promise<Person> {
    const cdp = await person.context.newCDPSession(person.page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return person;
  }
  /** The person closes the browser's window instead of touching the device. */
  const closeWindow = ({ page }: Person) =>
    page.evaluate(
      `navigator.credentials.get = navigator.credentials.create = () => Promise.reject(new DOMException('closed', 'NotAllowedError'))`,
    );
  async function signOutAndGiveThePassword({ page }: Person, name: string): Promise<void> {
    await signOutOf(page);
    await page.getByLabel('E-mail address').fill(`${name}@clockproof.example`);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
  }

  it('passkeys are added on the profile page, sign in, and confirm a step with a second factor', async () => {
    const ada = await addDevice(await stage.person({ signedIn: stage.world.people.ada }));
    const { page } = ada;
    await ada.go('/profile/second-factor');
    const section = page.getByRole('region', { name: 'Passkeys' });
    expect(await section.getByLabel('Name of the new passkey').inputValue()).toBe('Passkey on Linux');
    expect(await faultsOf(ada, 'passkeys-none')).toEqual([]);
    // The proof of signing in has worn off: the dialog comes first, then the device.
    stage.world.advance(16 * minute);
    await section.getByLabel('Name of the new passkey').fill('Laptop at home');
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
    expect(await dialog.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(stage.world.people.ada, stage.world.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await section.getByText('The passkey was added.').waitFor();
    await section.getByRole('heading', { name: 'Laptop at home' }).waitFor();
    expect(await faultsOf(ada, 'passkeys-one')).toEqual([]);
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    await section.getByText('This device has a passkey for you already.').waitFor();

    await signOutAndGiveThePassword(ada, 'ada');
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await page.getByLabel('Code from your authenticator app').waitFor();
    expect(await faultsOf(ada, 'second-factor-passkey-or-code')).toEqual([]);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    await ada.go('/profile/second-factor');
    await section.getByRole('heading', { name: 'Laptop at home' }).waitFor();
    expect(await page.getByRole('region', { name: 'Passkeys' }).getByText('never').count()).toBe(0);

    stage.world.advance(16 * minute);
    await page.getByRole('button', { name: 'Create new recovery codes' }).click();
    await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor();
    expect(await faultsOf(ada, 'fresh-factor-passkey')).toEqual([]);
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Write down your recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();

    // The code is still good beside it.
    await signOutAndGiveThePassword(ada, 'ada');
    stage.world.advance(minute);
    await page.getByLabel('Code from your authenticator app').fill(codeOf(stage.world.people.ada, stage.world.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
  });

  it('passkeys work without the app: they are renamed, refused, removed, and set up again', async () => {
    const ben = await addDevice(await stage.person({ signedIn: stage.world.people.ben }));
    const { page } = ben;
    await ben.go('/profile/second-factor');
    const section = page.getByRole('region', { name: 'Passkeys' });
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    await section.getByText('The passkey was added.').waitFor();
    await section.getByRole('button', { name: 'Rename: Passkey on Linux' }).click();
    await section.getByLabel('New name').fill('Key on the ring');
    expect(await faultsOf(ben, 'passkey-rename')).toEqual([]);
    await section.getByRole('button', { name: 'Save' }).click();
    await section.getByText('The passkey was renamed.').waitFor();

    await page.getByRole('button', { name: 'Create new recovery codes' }).click();
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByRole('heading', { name: 'Authenticator app' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await page.getByLabel('Current password').fill(password);
    expect(await faultsOf(ben, 'app-removal-by-passkey')).toEqual([]);
    await page.getByRole('button', { name: 'Remove the authenticator app' }).click();
    await page.getByText('The authenticator app was removed.').waitFor();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();

    await signOutAndGiveThePassword(ben, 'ben');
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    expect(await page.getByLabel('Code from your authenticator app').count()).toBe(0);
    expect(await faultsOf(ben, 'second-factor-passkey-only')).toEqual([]);
    await stage.world.db.write((tx) =>
      tx.run('UPDATE passkeys SET counter = 4000000000 WHERE person_id = :id', { id: stage.world.people.ben }),
    );
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('This passkey was not accepted.').waitFor();
    expect(await faultsOf(ben, 'second-factor-passkey-refused')).toEqual([]);
    await stage.world.db.write((tx) =>
      tx.run('UPDATE passkeys SET counter = 0 WHERE person_id = :id', { id: stage.world.people.ben }),
    );
    await closeWindow(ben);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The passkey did not respond').waitFor();
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code').fill(codes[0]!);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('9 recovery codes are left.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Hello Ben' }).waitFor();
    await ben.go('/profile/second-factor');

    await section.getByRole('button', { name: 'Remove: Key on the ring' }).click();
    await section.getByText('This is your only second factor').waitFor();
    await section.getByLabel('Current password').fill('not the password');
    await section.getByRole('button', { name: 'Remove the passkey' }).click();
    await section.getByText('E-mail address or password is wrong.').waitFor();
    expect(await faultsOf(ben, 'passkey-removal')).toEqual([]);
    await section.getByLabel('Current password').fill(password);
    await section.getByRole('button', { name: 'Remove the passkey' }).click();
    await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
    await page.reload();
    // The session waits for a second factor: nothing else is there for it.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail address').fill('ben@clockproof.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    expect(await faultsOf(ben, 'enrolment-by-passkey')).toEqual([]);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Write down your recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByRole('button', { name: /account menu$/ }).waitFor();
    await ben.go('/profile/second-factor');
    await section.getByRole('heading', { name: 'Passkey on Linux' }).waitFor();
  });

  it('passkeys are not offered in a browser without them, and the code field appears at once', async () => {
    const id = await addUser(stage.world, 'Olga');
    const olga = await addDevice(await stage.person({ signedIn: id }));
    const { page } = olga;
    await olga.go('/profile/second-factor');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    await page.addInitScript('delete window.PublicKeyCredential');
    await olga.go('/profile/second-factor');
    await page.getByText('This browser cannot use passkeys at this address.').waitFor();
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    await signOutAndGiveThePassword(olga, 'olga');
    await page.getByText('This browser cannot use passkeys at this address.').waitFor();
    stage.world.advance(minute);
    await page.keyboard.type(codeOf(id, stage.world.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hello Olga' }).waitFor();
  });
});
