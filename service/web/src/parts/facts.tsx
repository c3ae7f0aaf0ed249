import { Fragment, type ReactNode } from 'react';

/**
 * Names with their values. A missing value takes no line; a text is isolated, since it may be a person's or an app's.
 */
export function Facts({
  of: facts,
}: {
  readonly of: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === undefined || value === null ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <bdi>{value}</bdi> : value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}
