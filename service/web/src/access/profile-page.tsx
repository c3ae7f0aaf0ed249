import { Anchor, List, NativeSelect } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import { Facts } from '../parts/facts.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { type Language, LanguageContext, languageNames } from '../words/words.js';

export function ProfilePage({ session }: SignedInPageProps): ReactNode {
  const { language, words, setLanguage } = useContext(LanguageContext);
  const roles =
    session.roles.length === 0
      ? [words.role_employee]
      : [...new Set(session.roles.map((grant) => words[`role_${grant.role}`]))];
  const pages = [
    ['/profile/proofs', words.proofs_title],
    ['/profile/second-factor', words.factor_title],
    ...(session.features.terminals ? [['/profile/badges', words.my_badges_title] as const] : []),
    ...(session.features.extensions ? [['/profile/linked-apps', words.linked_apps_title] as const] : []),
    ['/profile/sessions', words.sessions_title],
    ['/profile/password', words.password_title],
  ] as const;
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
      <List className="sheet" listStyleType="none">
        {pages.map(([path, title]) => (
          <List.Item key={path}>
            <Anchor component={Link} href={path}>
              {title}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Page>
  );
}
