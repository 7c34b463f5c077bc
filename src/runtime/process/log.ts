/** Fields that go with a log line: `controller`, `namespace`, `name`, `uid` … Never secrets. */
export type LogFields = Readonly<Record<string, unknown>>

/** Logger of the components, in pino's shape, so that `cmd/` can pass one in. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  child(fields: LogFields): Logger
}

/** Log of a process, whose verbosity can be changed while it runs. */
export interface ProcessLog extends Logger {
  /** Sets KubeVirt's verbosity of this logger and its children; undefined: as at the start. */
  setVerbosity(verbosity: number | undefined): void
}

/** Drops everything. For tests. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
