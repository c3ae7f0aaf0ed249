// A real identity provider (oidc-provider) in a process of its own, whose clock is the test's: `Date.now` is moved before
// the provider is loaded. People sign in with the forms that come with it; what it says of them comes by message.
import { createServer } from 'node:http';

const { CLOCK_AHEAD, CLIENT_SECRET, REDIRECT_URI } = process.env;
const now = Date.now;
Date.now = () => now() + Number(CLOCK_AHEAD);
const { default: Provider } = await import('oidc-provider');

let accounts = {};
process.on('message', (message) => {
  accounts = message;
  process.send({ told: true });
});

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'clockproof',
        client_secret: CLIENT_SECRET,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
    claims: {
      openid: ['sub', 'auth_time'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'groups'],
    },
    pkce: { required: () => true },
    cookies: { keys: ['of the tests'] },
    features: { devInteractions: { enabled: true } },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    // The browser's clock is not the test's: cookies last as long as the browser, but for those that are deleted.
    const set = response.setHeader.bind(response);
    response.setHeader = (name, value) =>
      set(name, name.toLowerCase() === 'set-cookie' ? [value].flat().map(withoutExpiry) : value);
    return answer(request, response);
  });
  process.send({ issuer });
});
const withoutExpiry = (cookie) => cookie.replace(/; expires=(?!Thu, 01 Jan 1970)[^;]+/i, '');
process.on('disconnect', () => process.exit(0));
