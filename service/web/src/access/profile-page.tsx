import { NativeSelect } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { Facts } from '../parts/facts.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { type Language, LanguageContext, languageNames } from '../words/words.js';

export function ProfilePage({ session }: SignedInPageProps): ReactNode {
  const { language, words, setLanguage } = useContext(LanguageContext);
  const roles =
    session.roles.length === 0
      ? [words.role_employee]
      : [...new Set(session.roles.map((grant) => words[`role_${grant.role}`]))];
  return (
    <Page title={words.profile_title}>
      <div className="sheet">
        <Facts
          of={[
            [words.profile_person, session.person.name],
            [words.profile_company, session.company.name],
            [words.profile_roles, roles.join(', ')],
          ]}
        />
      </div>
      <div className="sheet form">
        <NativeSelect
          label={words.profile_language}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value as Language)}
          data={(Object.keys(languageNames) as Language[]).map((value) => ({
            value,
            label: languageNames[value],
          }))}
        />
      </div>
    </Page>
  );
}
