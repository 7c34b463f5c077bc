import { pino, stdSerializers } from 'pino'
import type { LogFields, Logger, ProcessLog } from '#runtime/process/log.ts'

/** The environment names a log level that does not exist. */
class LogLevelInvalid extends Error {
  override readonly name = 'LogLevelInvalid'
}

/** Verbosity from which details are logged. KubeVirt's default is 2. */
const detailedVerbosity = 3

/**
 * Writes JSON lines to standard output synchronously, so that lines before a crash are not lost.
 */
export function createProcessLog(component: string): ProcessLog {
  const initial = numberOf(process.env['STEADYVM_LOG_LEVEL'] || 'info')
  const destination = pino.destination({ fd: 1, sync: true })
  // A full disk may cost log lines, but must not end the process.
  destination.on('error', () => {})
  const root = pino(
    {
      level: 'trace',
      base: { component },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err },
    },
    destination,
  )
  const threshold = { least: initial }
  return {
    ...filtered(root, threshold),
    setVerbosity(verbosity) {
      threshold.least = verbosity === undefined ? initial : numberOf(verbosity >= detailedVerbosity ? 'debug' : 'info')
    },
  }
}

function numberOf(level: string): number {
  const found = level === 'silent' ? Infinity : pino.levels.values[level]
  if (found === undefined)
    throw new LogLevelInvalid(
      `STEADYVM_LOG_LEVEL must be one of ${Object.keys(pino.levels.values).join(', ')}, silent, and is ${JSON.stringify(level)}`,
    )
  return found
}

/**
 * Filters lines of a logger and its children. Children of pino keep the level of their creation.
 */
function filtered(target: Logger, threshold: { readonly least: number }): Logger {
  const writer =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: LogFields, message: string): void => {
      if (numberOf(level) >= threshold.least) target[level](fields, message)
    }
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) => filtered(target.child(fields), threshold),
  }
}
