/** The contents of the demo page: one stamp in four places. Sent whole to the page at each change. */
export interface Scene {
  readonly now: string;
  readonly company: string;
  readonly time_zone: string;
  readonly door: Door;
  readonly phone: Phone;
  readonly supervisor: Supervisor;
  readonly developer: Developer;
  /** The followed stamp, and the milliseconds until each place knew it. */
  readonly stamp?: {
    readonly sequence?: number;
    readonly person_id: number;
    readonly door: number;
    readonly phone?: number;
    readonly supervisor?: number;
    readonly developer?: number;
  };
}

export interface Door {
  readonly terminal: string;
  readonly badges: readonly { readonly card: string; readonly person_id: number; readonly first_name: string }[];
  /** Cards for attempts to cheat, and sound ones with a fault of the simulator. */
  readonly tricks: readonly {
    readonly card: string;
    readonly trick:
      | 'copied'
      | 'blocked'
      | 'foreign'
      | 'replayed'
      | 'phone'
      | 'short'
      | 'wrong_key'
      | 'factory'
      | 'torn'
      | 'aborted'
      | 'slow'
      | 'relayed';
    readonly fault?: string;
    /** The key is right all the same, and the stamp counts. */
    readonly stamps?: true;
  }[];
  readonly held?: string;
  readonly last?: {
    readonly card: string;
    readonly trick?: string;
    readonly outcome: 'stamped' | 'refused' | 'nothing';
    /** The terminal's message, in its own words. */
    readonly text: string;
    readonly first_name?: string;
    readonly action?: string;
    readonly at: string;
  };
}

export interface Phone {
  readonly person_id: number;
  readonly name: string;
  readonly state: string;
  readonly since?: string;
  readonly worked_minutes: number;
  readonly target_minutes: number;
  readonly balance_minutes: number;
  readonly vacation_days: number;
  readonly stamps: readonly {
    readonly action: string;
    readonly at: string;
    readonly where: string;
    readonly proven: boolean;
  }[];
}

export interface Supervisor {
  readonly name: string;
  readonly counts: { readonly in: number; readonly on_break: number; readonly out: number; readonly away: number };
  readonly people: readonly {
    readonly id: number;
    readonly name: string;
    readonly state: string;
    readonly since?: string;
    readonly away_until?: string;
  }[];
  readonly waiting: number;
  readonly request?: {
    readonly id: string;
    readonly kind: string;
    readonly name: string;
    /** The type of an absence. */
    readonly type?: string;
    /** Local dates, both inclusive. */
    readonly span?: { readonly from: string; readonly to: string };
    readonly comment?: string;
  };
}

export interface Developer {
  readonly events: readonly {
    readonly sequence: number;
    readonly type: string;
    readonly at: string;
    readonly data: unknown;
  }[];
  readonly webhook?: {
    readonly extension: string;
    readonly id: string;
    readonly timestamp: string;
    readonly signature: string;
    readonly type: string;
    readonly valid: boolean;
  };
  readonly proof?: {
    readonly root: string;
    readonly tx: string;
    readonly verdict: string;
    readonly events: number;
    readonly up_to: number;
  };
  readonly anchoring: boolean;
}
