/**
 * Steps that ask for a fresh second factor: if the service demands one, a dialog takes the proof and the step is
 * repeated.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useRef, useState } from 'react';
import { ask, client, Problem } from '../api/ask.js';
import { replaceSession, type Schemas } from '../api/session.js';

/** The first step that needs the dialog loads it. */
const FactorDialog = lazy(async () => ({ default: (await import('./factor-dialog.js')).FactorDialog }));

type WithFactor = <Data>(step: () => Promise<Data>) => Promise<Data>;
const FactorContext = createContext<WithFactor>((step) => step());

/** @returns runs a step; it throws `second_factor_required` only if the person closes the dialog */
export function useWithFactor(): WithFactor {
  return useContext(FactorContext);
}

/** The person closed the dialog: nothing was done and no message is needed. */
export function wasCancelled(problem: unknown): boolean {
  return problem instanceof Problem && problem.code === 'second_factor_required';
}

export function FreshFactor({ children }: { readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const settleRef = useRef<((proven: boolean) => void) | undefined>(undefined);
  const [open, setOpen] = useState(false);
  const [wasAsked, setAsked] = useState(false);
  const close = (proven: boolean) => {
    setOpen(false);
    settleRef.current?.(proven);
    settleRef.current = undefined;
  };
  const proving = useMutation({
    mutationFn: (body: Schemas['SecondFactorProof']) => ask(client.POST('/app/second-factor/proof', { body })),
    onSuccess: (session) => {
      replaceSession(queries, session);
      close(true);
    },
  });
  const { reset } = proving;
  const withFactor = useCallback<WithFactor>(
    async (step) => {
      try {
        return await step();
      } catch (problem) {
        if (!wasCancelled(problem)) throw problem;
        reset();
        const proven = await new Promise<boolean>((settle) => {
          settleRef.current = settle;
          setAsked(true);
          setOpen(true);
        });
        if (!proven) throw problem;
        return await step();
      }
    },
    [reset],
  );
  return (
    <FactorContext value={withFactor}>
      {children}
      {wasAsked && (
        <Suspense>
          <FactorDialog
            open={open}
            busy={proving.isPending}
            problem={proving.error}
            onProof={(proof) => proving.mutate(proof)}
            onClose={() => close(false)}
          />
        </Suspense>
      )}
    </FactorContext>
  );
}
