import { ConfigurationFaults } from '../config.js';

/**
 * Loads an optional native package. Named by a variable, so that the compiler does not look for a package that many
 * machines do without.
 *
 * @throws {ConfigurationFaults} one sentence that says what to install.
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
  // Either npm left the optional package out, because it could not be built, or it is there without its native part.
  const notBuilt =
    code === 'ERR_MODULE_NOT_FOUND' ||
    code === 'MODULE_NOT_FOUND' ||
    message.includes('Could not locate the bindings file');
  if (notBuilt) {
    return `READER=${name}: the package ${name} is not built; install libpcsclite-dev (Debian) or pcsc-lite-devel (Fedora), python3, make and g++, then run npm ci again`;
  }
  return `READER=${name}: the package ${name} does not start: ${message}`;
}
