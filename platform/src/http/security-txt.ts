/** The contact for reports of vulnerabilities, at /.well-known/security.txt (RFC 9116). */
import type { Router } from 'express';
import { z } from 'zod';
import { setting } from '../config/config.js';
import { day, formatInstant, type Instant } from '../time/instant.js';

export interface SecurityTxtNeeds {
  /** Addresses of the operator: `mailto:`, `https:` or `tel:`, in order of preference. */
  readonly contacts: readonly string[];
  /** Address of the installation, without a slash at the end, if its operator has set it. */
  readonly baseUrl: string | undefined;
  readonly clock: () => Instant;
}

/** The operator's addresses, as one setting of every service that publishes them. */
export const securityContact = setting({
  description:
    'Contact for vulnerability reports: `mailto:security@example.org` or an `https:` address, several comma-separated. Published at `/.well-known/security.txt` (RFC 9116).',
  default: '',
  schema: z.string().transform((value, context) => {
    const contacts = value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    // RFC 9116 §2.5.3: a web address is https, and every contact has its scheme.
    if (contacts.every((contact) => /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[0-9-]+)$/.test(contact)))
      return contacts;
    context.addIssue({ code: 'custom', message: 'must be mailto:, https: or tel: addresses, comma-separated' });
    return z.NEVER;
  }),
});

/** RFC 9116 §2.5.5 recommends less than a year. The operator keeps the contact right, so each answer is fresh. */
const validDays = 90;

/** The text, or nothing at this address without a contact. */
export function mountSecurityTxt(site: Pick<Router, 'get'>, { contacts, baseUrl, clock }: SecurityTxtNeeds): void {
  if (contacts.length === 0) return;
  site.get('/.well-known/security.txt', (request, response) => {
    const text = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${formatInstant((Math.floor(clock() / day) + validDays) * day)}`,
      'Preferred-Languages: en, de',
      ...(baseUrl === undefined ? [] : [`Canonical: ${baseUrl}/.well-known/security.txt`]),
      '',
    ].join('\n');
    response.writeHead(200, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
}
