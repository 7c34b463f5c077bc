import { pino, stdSerializers } from 'pino'
import type { Logger } from '#runtime/process/log.ts'

/**
 * Writes JSON lines to standard output synchronously, so that lines before a crash are not lost.
 */
export function createProcessLog(component: string): Logger {
  const level = process.env['STEADYVM_LOG_LEVEL'] ?? 'info'
  const destination = pino.destination({ fd: 1, sync: true })
  // A full disk may cost log lines, but must not end the process.
  destination.on('error', () => {})
  return pino(
    {
      level,
      base: { component },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err },
    },
    destination,
  )
}
