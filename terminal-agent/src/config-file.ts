import { ConfigurationFaults, type Environment, settingNames } from './config.js';
import { readIfThere } from './state-file.js';

/**
 * The settings of a file, with those of the environment before them. A line is `NAME=value`; empty lines and lines
 * that begin with `#` do not count, and quotes around a value are left out.
 *
 * @param fallback read if `CONFIG_FILE` names no other; need not exist.
 * @throws {ConfigurationFaults} naming every line at fault.
 */
export async function withConfigFile(env: Environment, fallback: string): Promise<Environment> {
  const file = env['CONFIG_FILE'];
  const path = file ?? fallback;
  const text = await readIfThere(path);
  if (text === undefined && file !== undefined) throw new ConfigurationFaults([`CONFIG_FILE ${path} does not exist`]);
  return { ...parse(text ?? '', path), ...env };
}

function parse(text: string, path: string): Environment {
  const faults: string[] = [];
  const values: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) faults.push(`${path}, line ${index + 1}: must be NAME=value`);
    else if (!settingNames.has(name)) faults.push(`${path}, line ${index + 1}: there is no setting ${name}`);
    else values[name] = value.replace(/^(["'])(.*)\1$/, '$2');
  }
  if (faults.length > 0) throw new ConfigurationFaults(faults);
  return values;
}
