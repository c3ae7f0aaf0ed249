/** A date as the language of the page writes it: typed, or chosen from a calendar. */
import { DateInput } from '@mantine/dates';
import 'dayjs/locale/de.js';
import 'dayjs/locale/en-gb.js';
import { type ReactNode, useContext } from 'react';
import { LanguageContext } from '../words/words.js';
import { typedDay } from './typed-day.js';

export interface DayFieldProps {
  readonly label: string;
  readonly description?: string;
  /** `2026-11-23`, or empty. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly error?: string | undefined;
  readonly min?: string;
  readonly max?: string;
}

export function DayField({ value, onChange, min, max, ...field }: DayFieldProps): ReactNode {
  const { language, words } = useContext(LanguageContext);
  return (
    <DateInput
      {...field}
      value={value === '' ? null : value}
      onChange={(day) => onChange(day ?? '')}
      locale={language === 'de' ? 'de' : 'en-gb'}
      valueFormat={language === 'de' ? 'DD.MM.YYYY' : 'DD/MM/YYYY'}
      // The component's own parser reads 8.1. as the first of August, and a first digit as a month of 2001.
      dateParser={typedDay}
      placeholder={language === 'de' ? 'TT.MM.JJJJ' : 'DD/MM/YYYY'}
      clearable={field.required !== true}
      clearButtonProps={{ 'aria-label': words.day_clear }}
      ariaLabels={words.day_calendar}
      // Without a portal it is hidden together with its page.
      popoverProps={{ withinPortal: false, transitionProps: { duration: 0 } }}
      {...(min === undefined || min === '' ? {} : { minDate: min })}
      maxDate={max}
    />
  );
}
