/**
 * An identity provider as its client sees it: OpenID Connect discovery, the authorization request, and the exchange of
 * the code, by openid-client. Its requests go only to the targets that webhooks may have.
 */
import { hash } from 'node:crypto';
import type { Log } from '@clockproof/platform/log';
import { hour, type Instant, minute, second } from '@clockproof/platform/time/instant';
import type { Configuration, ServerMetadata } from 'openid-client';
import { checkedLookup, type ResolveHost, resolveBySystem } from '../../extensions/webhooks/send.js';
import { parseTarget } from '../../extensions/webhooks/targets.js';
import { Refusal } from '../../store/refusal.js';

export interface ProviderOptions {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS: loopback and http, for development. */
  readonly allowPrivateTargets: boolean;
  /** The clock that openid-client reads; the service's own may differ from it. */
  readonly systemClock: () => Instant;
  /** Receives the reason why a sign-in failed. */
  readonly log: Log;
  readonly resolveHost?: ResolveHost | undefined;
}

export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Differs by company: an answer of another company's provider comes to another address (RFC 9700 §4.4). */
  readonly redirectUri: string;
}

/** Ties a sign-in to the browser that began it. */
export interface Ties {
  readonly state: string;
  /** The secret in the browser's cookie. Nonce and code verifier follow from it and are stored nowhere. */
  readonly mark: string;
}

export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

export interface IdentityProviders {
  /**
   * Reads the metadata of a provider again.
   * @returns the issuer as the metadata spells it
   * @throws Refusal `identity_provider_failed`
   */
  check(client: ProviderClient, at: Instant): Promise<string>;
  /** The address at which the person signs in. @throws Refusal `identity_provider_failed` */
  authorizationUrl(client: ProviderClient, ties: Ties, loginHint: string | undefined, at: Instant): Promise<string>;
  /**
   * Exchanges the code of an answer and verifies the ID token.
   * @param query the answer's query @param wanted claims to ask UserInfo for if the ID token lacks them
   * @throws Refusal `identity_provider_failed`, `company_sign_in_invalid`
   */
  claims(
    client: ProviderClient,
    ties: Ties,
    answer: { readonly query: string; readonly claimNames: readonly string[] },
    at: Instant,
  ): Promise<Claims>;
}

/** Maximum age of the person's authentication at the provider: as long as a session lasts. */
export const maxAuthenticationAge = 12 * hour;
/** Clocks of providers differ. */
const toleranceSeconds = 30;
const totalMilliseconds = 10 * second;
const readBytes = 512 * 1024;

/** Lifetime of cached metadata: anybody may begin a sign-in, and not each may ask the provider. */
const metadataKeptFor = 5 * minute;

/** The request never got an answer, or none that may be read. */
class Unreachable extends Error {}

export function createIdentityProviders({
  allowPrivateTargets,
  systemClock,
  log,
  resolveHost = resolveBySystem,
}: ProviderOptions): IdentityProviders {
  const guardedFetch = createGuardedFetch(allowPrivateTargets, resolveHost);

  const cache = new Map<string, { readonly until: Instant; readonly metadata: Promise<ServerMetadata> }>();

  /** Metadata are the same for every client of an issuer. One that could not be read is asked again. */
  function metadataOf(issuer: string, at: Instant): Promise<ServerMetadata> {
    const entry = cache.get(issuer);
    if (entry !== undefined && at < entry.until) return entry.metadata;
    for (const [key, { until }] of cache) if (until <= at) cache.delete(key);
    const metadata = discover(issuer);
    cache.set(issuer, { until: at + metadataKeptFor, metadata });
    metadata.catch(() => cache.delete(issuer));
    return metadata;
  }

  async function discover(issuer: string): Promise<ServerMetadata> {
    const oidc = await openidClient();
    // Without a client: only the metadata are kept.
    const configuration = await oidc.discovery(new URL(issuer), 'metadata', undefined, oidc.None(), {
      [oidc.customFetch]: guardedFetch as unknown as NonNullable<Configuration[typeof oidc.customFetch]>,
      execute: allowPrivateTargets ? [oidc.allowInsecureRequests] : [],
      timeout: totalMilliseconds / second,
    });
    const server = configuration.serverMetadata();
    for (const endpoint of [server.authorization_endpoint, server.token_endpoint, server.jwks_uri])
      if (endpoint === undefined || parseTarget(endpoint, allowPrivateTargets) === undefined)
        throw new Unreachable('the metadata lacks an endpoint, or has one that is not allowed');
    return server;
  }

  async function configure(
    { issuer, clientId, clientSecret }: ProviderClient,
    at: Instant,
  ): Promise<{ readonly oidc: typeof import('openid-client'); readonly config: Configuration }> {
    const oidc = await openidClient();
    const prepare = (config: Configuration) => {
      config[oidc.customFetch] = guardedFetch as unknown as NonNullable<Configuration[typeof oidc.customFetch]>;
      config.timeout = totalMilliseconds / second;
      if (allowPrivateTargets) oidc.allowInsecureRequests(config);
      // The token endpoint's TLS would be enough by the standard. An unsigned ID token is refused all the same.
      oidc.enableNonRepudiationChecks(config);
      return config;
    };
    const server = await metadataOf(issuer, at);
    const clocks = {
      [oidc.clockSkew]: Math.floor(at / second) - Math.floor(systemClock() / second),
      [oidc.clockTolerance]: toleranceSeconds,
    };
    // OpenID Connect Discovery §3: `client_secret_basic` by default.
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_basic')
      ? oidc.ClientSecretBasic(clientSecret)
      : oidc.ClientSecretPost(clientSecret);
    return { oidc, config: prepare(new oidc.Configuration(server, clientId, clocks, authentication)) };
  }

  const providerRefusal = (error: unknown, issuer: string): Refusal => {
    log.info({ issuer, reason: reasonOf(error) }, 'identity provider not usable');
    return new Refusal('identity_provider_failed');
  };
  const configureOrRefuse = (client: ProviderClient, at: Instant) =>
    configure(client, at).catch((error: unknown) => {
      throw providerRefusal(error, client.issuer);
    });

  return {
    async check(client, at) {
      cache.delete(client.issuer);
      const { config } = await configureOrRefuse(client, at);
      return config.serverMetadata().issuer;
    },
    async authorizationUrl(client, { state, mark }, loginHint, at) {
      const { oidc, config } = await configureOrRefuse(client, at);
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: client.redirectUri,
        scope: 'openid email profile',
        state,
        nonce: nonceOf(state, mark),
        code_challenge: await oidc.calculatePKCECodeChallenge(verifierOf(state, mark)),
        code_challenge_method: 'S256',
        max_age: String(maxAuthenticationAge / second),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      }).href;
    },
    async claims(client, { state, mark }, { query, claimNames }, at) {
      const { oidc, config } = await configureOrRefuse(client, at);
      try {
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${client.redirectUri}?${query}`), {
          pkceCodeVerifier: verifierOf(state, mark),
          expectedState: state,
          expectedNonce: nonceOf(state, mark),
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        if (claims.sub === '') throw new Error('the subject is empty');
        if (claimNames.every((name) => claims[name] !== undefined)) return claims;
        if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
        return joinClaims(claims, await oidc.fetchUserInfo(config, tokens.access_token, claims.sub));
      } catch (error) {
        if (causes(error).some((cause) => cause instanceof Unreachable)) throw providerRefusal(error, client.issuer);
        log.info({ issuer: client.issuer, reason: reasonOf(error) }, 'answer of an identity provider refused');
        throw new Refusal('company_sign_in_invalid');
      }
    },
  };
}

/**
 * A claim stands in the ID token or at UserInfo (OpenID Connect Core §5.1, §5.4); the signed one takes precedence. An
 * address and its verification stand in one place: the first that has both, or else nothing is verified.
 */
function joinClaims(token: Claims, userInfo: Readonly<Record<string, unknown>>): Claims {
  const allClaims = { ...userInfo, ...token };
  const pair = [token, userInfo].find(
    ({ email, email_verified: isVerified }) => email !== undefined && isVerified !== undefined,
  );
  return { ...allClaims, email: (pair ?? allClaims)['email'], email_verified: pair?.['email_verified'] };
}

/** Loaded at the first sign-in, not at the start. */
let clientModule: Promise<typeof import('openid-client')> | undefined;
function openidClient(): Promise<typeof import('openid-client')> {
  clientModule ??= import('openid-client');
  return clientModule;
}

// Everyone who sees an address knows the state; only the browser knows the mark.
const nonceOf = (state: string, mark: string) => hash('sha256', `nonce ${state} ${mark}`, 'base64url');
const verifierOf = (state: string, mark: string) => hash('sha256', `verifier ${state} ${mark}`, 'base64url');

type GuardedFetch = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

/** One request on a connection of its own, to an address that is allowed; no redirects, a bounded answer. */
function createGuardedFetch(allowPrivate: boolean, resolveHost: ResolveHost): GuardedFetch {
  return async (address, { method, headers, body }) => {
    const url = parseTarget(address, allowPrivate);
    if (url === undefined) throw new Unreachable('the address is not allowed');
    const { Agent, request } = await import('undici');
    const agent = new Agent({
      pipelining: 0,
      connect: { lookup: checkedLookup(url, resolveHost, allowPrivate), timeout: totalMilliseconds },
    });
    const deadline = setTimeout(
      () => void agent.destroy(new Unreachable('no whole answer in time')).catch(() => undefined),
      totalMilliseconds,
    );
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: method as 'GET' | 'POST',
        headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'Clockproof' },
        body: body === undefined || body === null ? null : String(body),
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > readBytes) throw new Error('the answer is too long');
        chunks.push(chunk);
      }
      const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((item): [string, string] => [
          name,
          item,
        ]),
      );
      const isEmpty = [204, 205, 304].includes(answer.statusCode);
      return new Response(isEmpty ? null : Buffer.concat(chunks), { status: answer.statusCode, headers: pairs });
    } catch (error) {
      throw new Unreachable(reasonOf(error), { cause: error });
    } finally {
      clearTimeout(deadline);
      await agent.destroy().catch(() => undefined);
    }
  };
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 8; cause = cause.cause) chain.push(cause);
  return chain;
}

/** For the operator's log; codes and tokens stand in none of these messages. */
function reasonOf(error: unknown): string {
  return causes(error)
    .map((cause) => {
      const { message, code, error: oauthError } = cause as Error & { readonly code?: string; readonly error?: string };
      return [code, oauthError, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
    })
    .join(' – ');
}
