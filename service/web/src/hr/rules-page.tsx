/** The rules of the company: its place, target hours, holidays, kinds of absence and vacation days. */
import type { ReactNode } from 'react';
import { AbsenceTypes } from '../absences/absence-types.js';
import { VacationRules } from '../absences/vacation-rules.js';
import { holds } from '../api/session.js';
import { FlexitimeLimits } from '../months/flexitime-limits.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Tabs } from '../parts/tabs.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { Holidays } from '../working-time/holidays.js';
import { Schedules } from '../working-time/schedules.js';
import { CompanySettings } from './company-settings.js';

export function RulesPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const id = session.company.id;
  const zone = zoneOf(session.company);
  return (
    <Page title={words.rules_title}>
      <Tabs
        label={words.rules_title}
        tabs={[
          {
            key: 'company',
            title: words.rules_company,
            content: () => <CompanySettings id={id} mayAllow={holds(session, 'super_admin')} />,
          },
          { key: 'hours', title: words.schedule_title, content: () => <Schedules of={{ company: id }} zone={zone} /> },
          { key: 'types', title: words.rules_types, content: () => <AbsenceTypes id={id} /> },
          { key: 'vacation', title: words.rules_vacation, content: () => <VacationRules id={id} zone={zone} /> },
          {
            key: 'accounts',
            title: words.time_account_title,
            content: () => <FlexitimeLimits of={{ company: id }} />,
          },
          { key: 'holidays', title: words.rules_holidays, content: () => <Holidays id={id} zone={zone} /> },
        ]}
      />
    </Page>
  );
}
