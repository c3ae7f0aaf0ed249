/** The one rule for e-mail addresses of people, at every door: pages, import, identity provider, command line. */
import { formats } from '@clockproof/platform/http/formats';

const [minLength, maxLength] = [3, 254];
const form = formats.email as RegExp;

/** The address as it is stored; undefined if it is not one. */
export function readEmailAddress(text: string): string | undefined {
  return text.length >= minLength && text.length <= maxLength && form.test(text) ? text.toLowerCase() : undefined;
}
