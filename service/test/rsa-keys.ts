/** RSA keys of the tests, by name. Making one takes up to a second, so each is made once per test run. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  randomUUID,
} from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param name its use; another name is another key */
export function rsaKeys(name: string, modulusLength = 2048): KeyPairKeyObjectResult {
  const file = join(process.env['TEST_FOLDER']!, `${name}-${modulusLength}.pem`);
  if (!existsSync(file)) {
    const temporaryFile = `${file}.${randomUUID()}`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
    writeFileSync(temporaryFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    renameSync(temporaryFile, file);
  }
  const privateKey = createPrivateKey(readFileSync(file));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
