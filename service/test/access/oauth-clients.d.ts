/** The parts of the client libraries that the tests use; they bring no types. */
declare module 'simple-oauth2' {
  export interface AccessToken {
    readonly token: Readonly<Record<string, unknown>>;
    refresh(): Promise<AccessToken>;
    revoke(type: 'access_token' | 'refresh_token'): Promise<void>;
    revokeAll(): Promise<void>;
  }
  export class AuthorizationCode {
    constructor(config: object);
    authorizeURL(parameters: object): string;
    getToken(parameters: object): Promise<AccessToken>;
    createToken(token: object): AccessToken;
  }
}

declare module 'passport-oauth2' {
  export default class Strategy {
    constructor(options: object, verify: (...answers: never[]) => void);
    authenticate(request: object): void;
    redirect: (url: string) => void;
    success: (user: object) => void;
    fail: (challenge: unknown) => void;
    error: (error: unknown) => void;
    _oauth2: {
      getOAuthAccessToken(
        token: string,
        parameters: object,
        done: (error: unknown, accessToken: string, refreshToken: string) => void,
      ): void;
    };
  }
}
