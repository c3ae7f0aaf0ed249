/** Checks the chain of every answer. A node may be replaced behind its address between any two questions. */
import { type Ask, LedgerFailure } from './graphql.js';
import { normaliseChainIdentifier, sameChain } from './identifiers.js';

/** The node belongs to another chain or knows another package than the database. Going on would mix two histories. */
export class WrongLedger extends Error {
  override readonly name = 'WrongLedger';
}

/**
 * @returns the chain that an answer names, as {@link normaliseChainIdentifier} writes it; undefined if it names none
 */
export function chainOf(answer: { readonly chainIdentifier?: unknown }): string | undefined {
  return typeof answer.chainIdentifier === 'string' ? normaliseChainIdentifier(answer.chainIdentifier) : undefined;
}

/**
 * The same questions, with answers of one chain only: every answer is checked before anyone uses it.
 * @throws WrongLedger if an answer names another chain. LedgerFailure `retry`, `NO_CHAIN`, if it names none
 */
export function askOneChain(ask: Ask, chainId: string): Ask {
  return async <T>(document: string, variables?: Readonly<Record<string, unknown>>) => {
    const answer = await ask<T>(document, variables);
    const chain = chainOf(answer as { chainIdentifier?: unknown });
    if (chain === undefined)
      throw new LedgerFailure('retry', 'the node did not say which chain it belongs to', 'NO_CHAIN');
    if (!sameChain(chain, chainId))
      throw new WrongLedger(
        `the node at the configured address now belongs to chain ${chain}, not to chain ${chainId}`,
      );
    return answer;
  };
}
