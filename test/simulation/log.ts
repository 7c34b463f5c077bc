import { silentLogger, type Logger } from '#runtime/process/log.ts'

const print =
  (level: string, bound: object) =>
  (fields: object, message: string): void =>
    void process.stderr.write(`${level} ${message} ${describe({ ...bound, ...fields })}\n`)

/** Discards messages by default; STEADYVM_SIMULATION_LOG enables them for debugging. */
export const log: Logger = process.env['STEADYVM_SIMULATION_LOG'] === undefined ? silentLogger : loud({})

function loud(bound: object): Logger {
  return {
    debug: () => {},
    info: () => {},
    warn: print('warn', bound),
    error: print('error', bound),
    child: (fields) => loud({ ...bound, ...fields }),
  }
}

function describe(fields: object): string {
  return JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? value.message : value))
}
