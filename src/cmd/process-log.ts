import { pino, stdSerializers } from 'pino'
import type { Logger } from '#runtime/log.ts'

/**
 * JSON lines on standard output, written at once: a line that was logged before a crash is in the
 * file.
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
