/** The page for a client or redirect address that is not to be trusted. Nothing of the request stands in it, and it leads nowhere. */
import { hash } from 'node:crypto';

const texts = {
  de: { title: 'Diese App kann nicht verknüpft werden', text: 'Die Anfrage nennt keine App dieser Installation oder eine Adresse, die nicht zu ihr gehört. Zu deiner Sicherheit geht es hier nicht weiter. Schließe diese Seite und wende dich an den Anbieter der App.' },
  en: { title: 'This app cannot be linked', text: 'The request names no app of this installation, or an address that does not belong to it. For your safety this is the end of the road. Close this page and ask the provider of the app.' },
} as const;

const style = 'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#1a1a1a;background:#fff}@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}}';
const styleHash = hash('sha256', style, 'base64');

export function refusalPage(acceptLanguage: string | undefined): { readonly status: 400; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const language = /^\s*de\b/i.test(acceptLanguage ?? '') ? 'de' : 'en';
  const { title, text } = texts[language];
  return {
    status: 400,
    headers: {
      'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
    body: `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
<main><h1>${title}</h1><p>${text}</p></main>
</html>
`,
  };
}
