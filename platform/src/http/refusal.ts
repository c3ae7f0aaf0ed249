/**
 * The refusal of a rule. `problem.ts` alone turns the code into a status and a sentence (both stand once, in
 * `openapi/errors.yaml`).
 * `Code` and `DetailCode` are the unions of codes generated from the contract.
 */
export interface RefusalDetail<Code extends string = string> {
  /** Name of the field in the request: `start_date`, `stamps[3].uid`. */
  readonly field: string;
  /** Machine-readable word for the fault of the field. */
  readonly code: Code;
  /** Sentence for a person. */
  readonly error: string;
}

export class Refusal<Code extends string = string, DetailCode extends string = string> extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: Code,
    readonly options: {
      readonly details?: readonly RefusalDetail<DetailCode>[];
      /** Extra members of the body that the document names for this code (`id`, `server_time`). */
      readonly extra?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      /**
       * With a 401: no secret was tried (none was sent, or a right one has ended), so it is no failed authentication.
       */
      readonly noCredentialTried?: boolean;
      /** With another status: a secret was guessed, so it counts as a failed authentication all the same. */
      readonly secretTried?: boolean;
      /** For the log only, never for the client. */
      readonly reason?: string;
    } = {},
  ) {
    super(options.reason ?? code);
  }
}
