import { connect } from 'node:net';

const patience = 2_000;

/**
 * Checks that pcscd listens. Called before a native library connects to it: one of them spins at full load, with the
 * whole process, while pcscd is down.
 *
 * @returns undefined if all is well, otherwise a sentence for the operator.
 */
export function pcscdObstacle(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const answer = (sentence: string | undefined): void => {
      connection.destroy();
      resolve(sentence);
    };
    connection.setTimeout(patience, () => answer(`pcscd does not answer at ${socket}`));
    connection.once('connect', () => answer(undefined));
    connection.once('error', (error: NodeJS.ErrnoException) =>
      answer(
        error.code === 'EACCES' || error.code === 'EPERM'
          ? `this user may not use pcscd (${socket}): a polkit rule for org.debian.pcsc-lite.access_pcsc and access_card is needed`
          : `pcscd is not running (${socket}): start the service pcscd`,
      ),
    );
  });
}
