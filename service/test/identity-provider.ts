/** Identity providers of the tests: a real one, and one that answers as a test wants. */
import { type ChildProcess, fork } from 'node:child_process';
import { sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rsaKeys } from './rsa-keys.js';

export const clientSecret = 'of-the-tests-and-nowhere-else';

export interface RealProvider {
  readonly issuer: string;
  /** Sets the claims of its accounts from now on. */
  tell(accounts: Readonly<Record<string, object>>): Promise<void>;
  /** A person signs in there and allows it. @returns the address it leads back to */
  signIn(url: string, login: string): Promise<URL>;
  close(): Promise<void>;
}

/** oidc-provider. @param now the test's clock */
export async function startProvider(now: () => number, redirectUri: string): Promise<RealProvider> {
  const child: ChildProcess = fork(fileURLToPath(new URL('identity-provider-process.mjs', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
    env: {
      PATH: process.env['PATH'] ?? '',
      CLOCK_AHEAD: String(now() - Date.now()),
      CLIENT_SECRET: clientSecret,
      REDIRECT_URI: redirectUri,
    },
  });
  const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }];
  return {
    issuer,
    async tell(accounts) {
      const acknowledgement = once(child, 'message');
      child.send(accounts);
      await acknowledgement;
    },
    async signIn(url, login) {
      const cookies = new Map<string, string>();
      const forms = [`prompt=login&login=${login}&password=any`, 'prompt=consent'];
      let next: string | undefined = url;
      let body: string | undefined;
      for (let step = 0; step < 12 && next !== undefined; step++) {
        const response: Response = await fetch(next, {
          method: body === undefined ? 'GET' : 'POST',
          redirect: 'manual',
          headers: {
            cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          },
          ...(body === undefined ? {} : { body }),
        });
        for (const line of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          cookies.set(name!, value!);
        }
        const text = await response.text();
        const location = response.headers.get('location');
        if (location !== null) {
          const to: URL = new URL(location, next);
          if (to.origin !== issuer) return to;
          [next, body] = [to.href, undefined];
          continue;
        }
        const action: string | undefined = /action="([^"]+)"/.exec(text)?.[1];
        if (action === undefined) throw new Error(`the provider: ${response.status} ${text.slice(0, 300)}`);
        [next, body] = [new URL(action, next).href, forms.shift()];
      }
      throw new Error('the provider did not lead back');
    },
    async close() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

export interface ToldProvider {
  readonly issuer: string;
  /** The number of reads of its metadata. */
  discoveries: number;
  /** Codes that it was asked to exchange, each as often as it came. */
  readonly codes: string[];
  /** The ID token of the next exchanges; `nonce` and the usual claims are added unless given. */
  next: {
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly alg?: 'RS256' | 'none';
    readonly key?: 'own' | 'strange';
    /** Claims that UserInfo adds to the subject. */
    readonly userInfo?: Readonly<Record<string, unknown>>;
    /** Runs before it answers. */
    readonly before?: () => Promise<void>;
  };
  close(): Promise<void>;
}

/** Counts providers: those that run at once have keys of their own. */
let providers = 0;

/** @param now the test's clock @param metadata members of the metadata that differ @param ending of its issuer */
export async function startToldProvider(
  now: () => number,
  metadata: Readonly<Record<string, unknown>> = {},
  ending: '' | '/' = '',
): Promise<ToldProvider> {
  const ownKeys = rsaKeys(`provider-${providers++ % 4}`);
  const foreignKeys = rsaKeys('provider-strange');
  const codes: string[] = [];
  const server = createServer((request, response) => {
    const send = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const path = request.url!;
    if (path === '/.well-known/openid-configuration') {
      provider.discoveries++;
      return send({
        issuer: provider.issuer,
        authorization_endpoint: `${address}/authorize`,
        token_endpoint: `${address}/token`,
        jwks_uri: `${address}/keys`,
        userinfo_endpoint: `${address}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'none'],
        authorization_response_iss_parameter_supported: true,
        ...metadata,
      });
    }
    if (path === '/keys')
      return send({ keys: [{ ...ownKeys.publicKey.export({ format: 'jwk' }), kid: 'own', use: 'sig', alg: 'RS256' }] });
    if (path === '/userinfo') {
      const { userInfo, claims: { sub = 'told' } = {} } = provider.next;
      return send({ sub, ...userInfo });
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      await provider.next.before?.();
      codes.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('code')!);
      const { claims = {}, alg = 'RS256', key = 'own' } = provider.next;
      const seconds = Math.floor(now() / 1_000);
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const head = part(alg === 'none' ? { alg } : { alg, kid: 'own' });
      const payload = part({
        iss: provider.issuer,
        aud: 'clockproof',
        sub: 'told',
        iat: seconds,
        exp: seconds + 300,
        auth_time: seconds,
        ...claims,
      });
      const signature =
        alg === 'none'
          ? ''
          : sign(
              'sha256',
              Buffer.from(`${head}.${payload}`),
              (key === 'own' ? ownKeys : foreignKeys).privateKey,
            ).toString('base64url');
      send({ access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: `${head}.${payload}.${signature}` });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: ToldProvider = {
    issuer: address + ending,
    codes,
    discoveries: 0,
    next: {},
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}
