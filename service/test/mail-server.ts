/** A small SMTP server that keeps the received mails, and that a test can make fail. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and parts, decoded. */
  readonly text: string;
  readonly subject: string;
  /** The one link in it. */
  readonly link: string | undefined;
}

export interface MailServer {
  /** The value of SMTP_URL. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Connections so far. */
  connections: number;
  /** The fault of the next mails: a reply code to the recipient or the content, or the connection is cut. */
  fault: { readonly at: 'recipient' | 'content'; readonly reply: number } | 'cut' | undefined;
  close(): Promise<void>;
}

const user = 'mailer';
const password = 'nine tame otters';

function replyOf(code: number): Error {
  return Object.assign(new Error('as the test wants it'), { responseCode: code });
}

export async function startMailServer(): Promise<MailServer> {
  const state: MailServer = {
    url: '',
    mails: [],
    connections: 0,
    fault: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    disableReverseLookup: true,
    onConnect(_session, callback) {
      state.connections++;
      callback();
    },
    onAuth(auth, _session, callback) {
      if (auth.username === user && auth.password === password) callback(null, { user });
      else callback(new Error('wrong'));
    },
    onRcptTo(_address, _session, callback) {
      const { fault } = state;
      callback(typeof fault === 'object' && fault.at === 'recipient' ? replyOf(fault.reply) : null);
    },
    onData(stream, session, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { fault } = state;
        if (fault === 'cut') {
          // The server has the content, and its answer never arrives.
          for (const connection of server.connections) connection.close();
          return;
        }
        if (typeof fault === 'object' && fault.at === 'content') return void callback(replyOf(fault.reply));
        const { mailFrom, rcptTo } = session.envelope;
        state.mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...decode(Buffer.concat(parts).toString()),
        });
        callback();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(state, { url: `smtp://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}` });
}

/** The part of MIME (RFC 2045, RFC 2047) that the mails of this service use. */
function decode(raw: string): Pick<ReceivedMail, 'text' | 'subject' | 'link'> {
  const unfolded = raw.replaceAll(/\r\n[ \t]+/g, ' ');
  const words = (text: string) =>
    text
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_, kind: string, value: string) =>
        kind.toLowerCase() === 'b'
          ? Buffer.from(value, 'base64').toString()
          : decodeQuotedPrintable(value.replaceAll('_', ' ')),
      );
  const subject = words(/^Subject: (.*)$/m.exec(unfolded)?.[1] ?? '').trim();
  const parts = raw.split(/^--[^\r\n]+\r?\n/m).map((part) => {
    const [head = '', ...body] = part.split('\r\n\r\n');
    const content = body.join('\r\n\r\n');
    if (/base64/i.test(head)) return `${head}\n${Buffer.from(content, 'base64').toString()}`;
    return /quoted-printable/i.test(head) ? `${head}\n${decodeQuotedPrintable(content)}` : part;
  });
  const text = words(parts.join('\n'));
  return { text, subject, link: /https?:\/\/[^\s"<]+/.exec(text)?.[0] };
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
