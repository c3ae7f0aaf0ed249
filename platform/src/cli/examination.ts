/** The frame of a `doctor`: a line a finding, and one sentence at the end. */
import { ConfigurationFaults, configurationExitCode } from '../config/config.js';

/** `ok` as it should be, `note` worth a thought, `FAIL` does not work. */
export type Report = (kind: 'ok' | 'note' | 'FAIL', subject: string, words: string) => void;

/**
 * @param read the settings; throws ConfigurationFaults
 * @returns 0 nothing is wrong (notes aside), 1 something is, 78 the configuration is
 */
export async function examine<Config>(
  print: (line: string) => void,
  read: () => Config,
  check: (config: Config, report: Report) => Promise<void>,
): Promise<number> {
  let failures = 0;
  const report: Report = (kind, subject, words) => {
    if (kind === 'FAIL') failures++;
    print(`${kind.padEnd(4)}  ${subject}: ${words}`);
  };
  let config: Config;
  try {
    config = read();
  } catch (error) {
    if (!(error instanceof ConfigurationFaults)) throw error;
    for (const fault of error.faults) report('FAIL', 'configuration', fault);
    return configurationExitCode;
  }
  await check(config, report);
  print(failures === 0 ? 'nothing is wrong' : failures === 1 ? 'one thing is wrong' : `${failures} things are wrong`);
  return failures === 0 ? 0 : 1;
}
