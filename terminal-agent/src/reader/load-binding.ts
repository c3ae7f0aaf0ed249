import { ConfigurationFaults } from '../config.js';

/**
 * Loads an optional native package. The name is a variable, so that the compiler does not look for a package that many
 * machines lack.
 *
 * @throws {ConfigurationFaults} one sentence that names the packages to install.
 */
export async function loadBinding(
  name: string,
  load: (name: string) => Promise<unknown> = (specifier) => import(specifier),
): Promise<unknown> {
  try {
    const module = await load(name);
    return (module as { readonly default?: unknown }).default ?? module;
  } catch (error) {
    throw new ConfigurationFaults([sentence(name, error)]);
  }
}

function sentence(name: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_DLOPEN_FAILED') {
    return `READER=${name}: the PC/SC library is missing or of another make than at installation; install libpcsclite1 (Debian) or pcsc-lite-libs (Fedora): ${message}`;
  }
  // Either npm skipped the optional package because its build failed, or its native part is missing.
  const notBuilt =
    code === 'ERR_MODULE_NOT_FOUND' ||
    code === 'MODULE_NOT_FOUND' ||
    message.includes('Could not locate the bindings file');
  if (notBuilt) {
    return `READER=${name}: the package ${name} is not built; install libpcsclite-dev (Debian) or pcsc-lite-devel (Fedora), python3, make and g++, then run npm ci again`;
  }
  return `READER=${name}: the package ${name} does not start: ${message}`;
}
