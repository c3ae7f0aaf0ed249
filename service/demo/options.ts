/** Options of `make run` from its command line and its environment. */
import { parseArgs } from 'node:util';

const usage = `make run ARGS="OPTION …"
  --fresh                begin with a new demo company
  --once                 stamp once, compare everything and end
  --data FOLDER          where the demo keeps its data (data/demo)
  --service-port PORT    --indexer-port PORT    --ledger-port PORT    --reader-port PORT    --demo-port PORT
  --database URL         a PostgreSQL in place of SQLite
  --listen-port PORT     where the service listens, if a balancer has --service-port`;

export type Options = ReturnType<typeof readOptions>;

/** Ends with the list of options if it is asked for (0), or if one is unknown (64, EX_USAGE). */
export function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        data: { type: 'string' },
        'service-port': { type: 'string' },
        'indexer-port': { type: 'string' },
        'ledger-port': { type: 'string' },
        'reader-port': { type: 'string' },
        'demo-port': { type: 'string' },
        // A PostgreSQL in place of the file, and a port of its own if a balancer has the service's.
        database: { type: 'string' },
        'listen-port': { type: 'string' },
      },
    });
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message.split(/\.\s/)[0]}\n\n${usage}`);
    process.exit(64);
  }
}

const names = ['service', 'indexer', 'ledger', 'reader', 'demo'] as const;

/** The port of each program, and the port on which the service listens: the same one, unless a balancer has it. */
export type Ports = Readonly<Record<(typeof names)[number] | 'listen', number>>;

/** @throws Error an option is no port */
export function portsOf(options: Options): Ports {
  const defaults = options.once ? [18_080, 18_090, 18_091, 18_092, 18_093] : [8080, 8090, 8091, 8092, 8093];
  const ports = Object.fromEntries(
    names.map((name, index) => {
      const portText = options[`${name}-port`] ?? process.env[`${name.toUpperCase()}_PORT`];
      const port = Number(portText ?? defaults[index]);
      if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--${name}-port must be a port`);
      return [name, port];
    }),
  ) as Record<(typeof names)[number], number>;
  return { ...ports, listen: Number(options['listen-port'] ?? ports.service) };
}
