/** Hands one message to the SMTP server (RFC 5321), and reports the outcome. */
import { Readable } from 'node:stream';
import { second } from '@clockproof/platform/time/instant';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

/**
 * `accepted`: the server is responsible for it now. `refused`: it surely has not taken it; `forever` if it will not
 * take it later either (a 5yz reply about the recipient or the message). `uncertain`: the connection ended after the
 * message began to flow, so the server may have taken it.
 */
export type Handover =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly forever: boolean; readonly error: string }
  | { readonly outcome: 'uncertain'; readonly error: string };

export interface Message {
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
}

/**
 * @param onFlow called when the server is ready for the content and before it gets any. If it throws, the connection is
 * closed and the server has nothing.
 */
export type HandOver = (message: Message, onFlow: () => Promise<void>) => Promise<Handover>;

/** No more patience than a lease lasts. */
const timeouts = {
  dnsTimeout: 10 * second,
  connectionTimeout: 15 * second,
  greetingTimeout: 15 * second,
  socketTimeout: 60 * second,
};

interface SmtpFault extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** @param url `smtp://` or `smtps://`, with user and password if the server asks for them */
export function createSmtp(url: string): HandOver {
  const { auth, ...server } = parseConnectionUrl(url);
  return ({ from, to, content }, onFlow) =>
    new Promise((resolve) => {
      const connection = new SMTPConnection({ ...server, ...timeouts, logger: false });
      let flows = false;
      let isDone = false;
      const end = (handover: Handover) => {
        if (isDone) return;
        isDone = true;
        if (handover.outcome === 'accepted') connection.quit();
        else connection.close();
        resolve(handover);
      };
      const fail = (error: SmtpFault) => {
        const reply = error.responseCode;
        const text = error.message.slice(0, 500);
        // A reply to the message is the server's word that it has not taken it.
        if (flows && reply === undefined) end({ outcome: 'uncertain', error: text });
        else
          end({
            outcome: 'refused',
            // Wrong credentials are the operator's to put right; the message itself is fine.
            forever: reply !== undefined && reply >= 500 && error.code !== 'EAUTH',
            error: text,
          });
      };
      const send = () => {
        const message = Readable.from(
          (async function* flow() {
            await onFlow();
            flows = true;
            yield content;
          })(),
        );
        connection.send({ from, to: [to], size: content.length }, message, (error) => {
          if (error) fail(error as SmtpFault);
          else end({ outcome: 'accepted' });
        });
      };
      connection.once('error', fail);
      connection.once('end', () => fail(new Error('the connection was closed')));
      connection.connect((error) => {
        if (error) return fail(error as SmtpFault);
        if (auth === undefined) return send();
        return connection.login(auth, (error) => (error ? fail(error as SmtpFault) : send()));
      });
    });
}
