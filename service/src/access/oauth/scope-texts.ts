/** The meaning of each permission, as worded on the consent page. The words stand in openapi/scopes.yaml. */
import { scopeTexts } from '../../generated/scope-texts.js';
import { inLanguage } from '../../people/language.js';
import type { LinkScope } from './links.js';

export interface ScopeText {
  readonly title: string;
  readonly description: string;
}

const texts: Readonly<Record<'de' | 'en', Readonly<Record<LinkScope, ScopeText>>>> = scopeTexts;

/** @param language BCP 47; German if it is German, English otherwise */
export function scopeText(scope: LinkScope, language: string): ScopeText {
  return inLanguage(language, texts)[scope];
}
