/**
 * An admin's own record: another admin changes it, so its forms are not offered, and the page names the admins who can.
 */
import { createContext, type ReactNode, useContext } from 'react';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';

type OwnRecord = Schemas['OwnRecord'];

const OwnRecordContext = createContext<OwnRecord | undefined>(undefined);

/** @param of undefined: the record of another person */
export function OwnRecordPage({
  of,
  children,
}: {
  readonly of: OwnRecord | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  return (
    <OwnRecordContext.Provider value={of}>
      {of !== undefined && (
        <p className="notice ok" role="note">
          {of.changes === 'marked' ? words.own_record_marked : words.own_record_refused}{' '}
          {of.changes === 'refused' &&
            (of.admins.length === 0
              ? words.own_record_super_admin
              : words.own_record_admins(of.admins.map(({ name }) => name).join(', ')))}
        </p>
      )}
      {children}
    </OwnRecordContext.Provider>
  );
}

/** Whether the record is the reader's own and another admin changes it. */
export function useRefused(): boolean {
  return useContext(OwnRecordContext)?.changes === 'refused';
}

/** A form or button that changes the record. @param visible it also shows the present values, which stay readable */
export function Changing({
  visible = false,
  children,
}: {
  readonly visible?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const isRefused = useRefused();
  if (!isRefused) return children;
  return visible ? (
    <fieldset className="bare" disabled>
      {children}
    </fieldset>
  ) : null;
}
