/** A form over stored values, which others may change meanwhile. */
import { useState } from 'react';

export interface Edits<Values extends object> {
  /** The stored values under the edits of the person. */
  readonly draft: Values;
  /** What the person has changed: only this is sent, so that it overwrites nobody else's change of another field. */
  readonly edits: Partial<Values>;
  readonly isEdited: boolean;
  readonly change: (part: Partial<Values>) => void;
  /** Ends the edits that were sent; what was changed while they were on their way stays. */
  readonly saved: (sent: Partial<Values>) => void;
}

export function useEdits<Values extends object>(stored: Values): Edits<Values> {
  const [edits, setEdits] = useState<Partial<Values>>({});
  return {
    draft: { ...stored, ...edits },
    edits,
    isEdited: Object.keys(edits).length > 0,
    change: (part) => setEdits({ ...edits, ...part }),
    saved: (sent) => setEdits((current) => (current === sent ? {} : current)),
  };
}
