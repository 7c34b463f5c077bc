import type { QmpConnection } from './connection.ts'
import { QmpCommandError } from './errors.ts'

/**
 * Returns why a command fails; undefined when it does not, or because its effect is there already.
 */
export async function refusalOf(isDone: RegExp, command: Promise<unknown>): Promise<string | undefined> {
  try {
    await command
    return undefined
  } catch (error) {
    if (!(error instanceof QmpCommandError)) throw error
    return isDone.test(error.message) ? undefined : error.message
  }
}

/** Returns the answer of a command; undefined when QEMU refuses it. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof QmpCommandError) return undefined
    throw error
  }
}

/**
 * Plugs a device in by the options of a command line, so that it is the same after a restart. Only
 * the monitor for people takes them; it answers with text only when it fails. Idempotent.
 */
export async function addDevice(qmp: Pick<QmpConnection, 'execute'>, options: string): Promise<string | undefined> {
  const answer = String(await qmp.execute('human-monitor-command', { 'command-line': `device_add ${options}` })).trim()
  return answer === '' || answer.includes('Duplicate') ? undefined : answer.replace(/^Error: /, '')
}

/** Asks the guest to release a device. Idempotent. Returns the reason why QEMU refuses. */
export function removeDevice(qmp: Pick<QmpConnection, 'execute'>, id: string): Promise<string | undefined> {
  return refusalOf(/already in the process of unplug|not found/, qmp.execute('device_del', { id }))
}
