import { z } from 'zod';
import { type Fault, readFaults, UnknownFault } from '../simulator/faults.js';
import { type Host, hostOf } from './host.js';

/** EX_CONFIG of sysexits.h: a supervisor need not start the program again before somebody has changed something. */
export const configurationExitCode = 78;

/** Configuration errors. Each line names one. */
export class ConfigurationFaults extends Error {
  override readonly name = 'ConfigurationFaults';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

export type ReaderKind = 'simulated' | 'smartcard' | 'nfc-pcsc';
export type Environment = Readonly<Record<string, string | undefined>>;

export interface StateConfig {
  /** Folder of the private key and the registration. */
  readonly stateFolder: string;
}

export interface ServiceConfig extends StateConfig {
  readonly serviceUrl: URL;
  /** Milliseconds until a request counts as unanswered. */
  readonly requestTimeout: number;
}

export interface CardsConfig {
  /** Folder of the simulated cards. */
  readonly cardsFolder: string;
}

export interface RunConfig extends ServiceConfig {
  readonly reader: ReaderKind;
  /** Part of the name of the PC/SC reader to use; undefined means any. */
  readonly readerName: string | undefined;
  readonly pcscdSocket: string;
  /** `toggle`, or the stamps to make in this order before toggling. */
  readonly actions: readonly Action[];
  /** IANA zone for the times shown at the terminal. */
  readonly timeZone: string;
  readonly simulator:
    | (CardsConfig & {
        readonly port: number;
        /** Faults of every card that is held there. */
        readonly faults: readonly Fault[];
      })
    | undefined;
  /** The page of the door; undefined means one line of text for each stamp. */
  readonly screen: ScreenConfig | undefined;
}

export interface ScreenConfig {
  /** On the loopback address; 0 for any free one. */
  readonly port: number;
  readonly language: 'de' | 'en';
  readonly theme: 'light' | 'dark' | 'system';
  /** Milliseconds until the default action is made; undefined means never. */
  readonly countdown: number | undefined;
  readonly readerSide: 'right' | 'left' | 'below';
  readonly sound: 'off' | 'quiet' | 'normal';
}

export type Action = 'in' | 'out' | 'break_start' | 'break_end';

/** This PC, as the program was started on it. */
export function thisHost(): Host {
  return hostOf(process.platform, process.env, { node: process.execPath, script: process.argv[1] ?? 'main.js' });
}

const systemZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const schemas = {
  SERVICE_URL: z
    .string('is required: the address of the service, such as https://time.example.com')
    .transform((value, context) => {
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (
        url === undefined ||
        !['http:', 'https:'].includes(url.protocol) ||
        url.search !== '' ||
        url.hash !== '' ||
        url.username !== ''
      ) {
        context.addIssue({ code: 'custom', message: 'must be an address such as https://time.example.com' });
        return z.NEVER;
      }
      if (url.protocol === 'http:' && !isThisMachine(url.hostname)) {
        context.addIssue({
          code: 'custom',
          message: 'must begin with https, because first names travel over it; http is for a service on this machine',
        });
        return z.NEVER;
      }
      return url;
    }),
  STATE_DIR: z.string().default(() => thisHost().stateFolder),
  REQUEST_TIMEOUT: z
    .string()
    .default('5')
    .refine((value) => /^[1-9][0-9]?$/.test(value) && Number(value) <= 25, 'must be a number of seconds from 1 to 25')
    .transform((value) => Number(value) * 1_000),
  READER: z
    .enum(['simulated', 'smartcard', 'nfc-pcsc'], 'must be smartcard, nfc-pcsc or simulated')
    .default('smartcard'),
  READER_NAME: z.string().optional(),
  PCSCLITE_CSOCK_NAME: z.string().default('/run/pcscd/pcscd.comm'),
  ACTIONS: z
    .string()
    .default('toggle')
    .transform((value, context): readonly Action[] => {
      const actions = value === 'toggle' ? [] : value.split(',');
      const result = z.array(z.enum(['in', 'out', 'break_start', 'break_end'])).safeParse(actions);
      if (result.success) return result.data;
      context.addIssue({
        code: 'custom',
        message: 'must be toggle, or a list of in, out, break_start and break_end with commas between',
      });
      return z.NEVER;
    }),
  TIME_ZONE: z.string().default(systemZone).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  SIMULATOR_PORT: z
    .string('is required for READER=simulated: the port that presents cards, or 0 for any free one')
    .refine((value) => /^(0|[1-9][0-9]{0,4})$/.test(value) && Number(value) <= 65_535, 'must be a port from 0 to 65535')
    .transform(Number),
  CARDS_DIR: z.string('is required for simulated cards: the folder of their files'),
  SIMULATOR_FAULTS: z
    .string()
    .optional()
    .transform((value, context): readonly Fault[] => {
      try {
        return value === undefined ? [] : readFaults(value);
      } catch (error) {
        if (!(error instanceof UnknownFault)) throw error;
        context.addIssue({ code: 'custom', message: `is not understood: ${error.message}` });
        return z.NEVER;
      }
    }),
  SCREEN_PORT: z
    .string()
    .refine((value) => /^(0|[1-9][0-9]{0,4})$/.test(value) && Number(value) <= 65_535, 'must be a port from 0 to 65535')
    .transform(Number)
    .optional(),
  DOOR_LANGUAGE: z.enum(['de', 'en'], 'must be de or en').default('de'),
  THEME: z.enum(['light', 'dark', 'system'], 'must be light, dark or system').default('light'),
  COUNTDOWN: z
    .string()
    .default('6')
    .refine((value) => /^([4-9]|10|off)$/.test(value), 'must be a number of seconds from 4 to 10, or off')
    .transform((value) => (value === 'off' ? undefined : Number(value) * 1_000)),
  READER_SIDE: z.enum(['right', 'left', 'below'], 'must be right, left or below').default('right'),
  SOUND: z.enum(['off', 'quiet', 'normal'], 'must be off, quiet or normal').default('normal'),
} as const;

type Name = keyof typeof schemas;
/** The settings that the file may contain. */
export const settingNames: ReadonlySet<string> = new Set([
  ...Object.keys(schemas),
  'NODE_EXTRA_CA_CERTS',
  'HTTPS_PROXY',
  'NO_PROXY',
]);
type Values<Names extends Name> = { readonly [N in Names]: z.infer<(typeof schemas)[N]> };

/** @throws {ConfigurationFaults} naming every variable at fault at once. */
function readValues<Names extends Name>(env: Environment, ...names: readonly Names[]): Values<Names> {
  const values: Partial<Record<Name, unknown>> = {};
  const faults: string[] = [];
  for (const name of names) {
    const result = schemas[name].safeParse(env[name] === '' ? undefined : env[name]);
    if (result.success) values[name] = result.data;
    else faults.push(...result.error.issues.map((issue) => `${name} ${issue.message}`));
  }
  if (faults.length > 0) throw new ConfigurationFaults(faults);
  return values as Values<Names>;
}

/** The path of the key. */
export function readStateConfig(env: Environment): StateConfig {
  return { stateFolder: readValues(env, 'STATE_DIR').STATE_DIR };
}

/** The settings for requests to the service. */
export function readServiceConfig(env: Environment): ServiceConfig {
  const values = readValues(env, 'SERVICE_URL', 'STATE_DIR', 'REQUEST_TIMEOUT');
  return { serviceUrl: values.SERVICE_URL, stateFolder: values.STATE_DIR, requestTimeout: values.REQUEST_TIMEOUT };
}

/** The folder of simulated cards. */
export function readCardsConfig(env: Environment): CardsConfig {
  return { cardsFolder: readValues(env, 'CARDS_DIR').CARDS_DIR };
}

/** Everything a terminal in service needs. */
export function readRunConfig(env: Environment): RunConfig {
  const common = [
    'SERVICE_URL',
    'STATE_DIR',
    'REQUEST_TIMEOUT',
    'READER',
    'READER_NAME',
    'PCSCLITE_CSOCK_NAME',
    'ACTIONS',
    'TIME_ZONE',
    'SCREEN_PORT',
    'DOOR_LANGUAGE',
    'THEME',
    'COUNTDOWN',
    'READER_SIDE',
    'SOUND',
  ] as const;
  const commonOf = (values: Values<(typeof common)[number]>) => ({
    serviceUrl: values.SERVICE_URL,
    stateFolder: values.STATE_DIR,
    requestTimeout: values.REQUEST_TIMEOUT,
    reader: values.READER,
    readerName: values.READER_NAME,
    pcscdSocket: values.PCSCLITE_CSOCK_NAME,
    actions: values.ACTIONS,
    timeZone: values.TIME_ZONE,
    screen:
      values.SCREEN_PORT === undefined
        ? undefined
        : {
            port: values.SCREEN_PORT,
            language: values.DOOR_LANGUAGE,
            theme: values.THEME,
            countdown: values.COUNTDOWN,
            readerSide: values.READER_SIDE,
            sound: values.SOUND,
          },
  });
  if (env['READER'] !== 'simulated') return { ...commonOf(readValues(env, ...common)), simulator: undefined };
  const values = readValues(env, ...common, 'SIMULATOR_PORT', 'SIMULATOR_FAULTS', 'CARDS_DIR');
  const { SIMULATOR_PORT: port, SIMULATOR_FAULTS: faults, CARDS_DIR: cardsFolder } = values;
  return { ...commonOf(values), simulator: { port, faults, cardsFolder } };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
