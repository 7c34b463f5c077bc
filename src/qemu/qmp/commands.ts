import { QmpCommandError } from './errors.ts'
import type { QmpConnection } from './connection.ts'

/** QEMU's run state, as `query-status` gives it. */
export type RunState =
  | 'prelaunch'
  | 'inmigrate'
  | 'running'
  | 'paused'
  | 'shutdown'
  | 'guest-panicked'
  | 'io-error'
  | 'internal-error'
  | 'postmigrate'
  | 'finish-migrate'
  | 'watchdog'
  | 'suspended'
  | (string & {})

/** Asks for the run state. */
export async function queryRunState(qmp: QmpConnection): Promise<RunState> {
  const answer = (await qmp.execute('query-status')) as { status: RunState }
  return answer.status
}

/**
 * The release of this QEMU: `7.2.22`. A guest may run in an older one than its host would start
 * today.
 */
export async function queryVersion(qmp: QmpConnection): Promise<string> {
  const { qemu } = (await qmp.execute('query-version')) as { readonly qemu: Readonly<Record<'major' | 'minor' | 'micro', number>> }
  return `${qemu.major}.${qemu.minor}.${qemu.micro}`
}

/** Resumes the guest. */
export async function resume(qmp: QmpConnection): Promise<void> {
  await qmp.execute('cont')
}

/** Resets the guest: it starts anew at once. */
export async function reset(qmp: QmpConnection): Promise<void> {
  await qmp.execute('system_reset')
}

/** Stops the guest's CPUs. */
export async function pause(qmp: QmpConnection): Promise<void> {
  await qmp.execute('stop')
}

/** Presses the ACPI power button. The guest may ignore it. */
export async function pressPowerButton(qmp: QmpConnection): Promise<void> {
  await qmp.execute('system_powerdown')
}

/** Ends QEMU. The connection closes before or after the answer; both are fine. */
export async function quit(qmp: QmpConnection): Promise<void> {
  await Promise.race([qmp.execute('quit').catch(() => {}), qmp.closed])
}

/** Writes a PNG of the guest's display to a path that QEMU sees. */
export async function saveScreenshot(qmp: QmpConnection, path: string): Promise<void> {
  await qmp.execute('screendump', { filename: path, format: 'png' })
}

/** Moves the guest's pointer there and back. A guest without a pointer is left alone. */
export async function moveCursor(qmp: QmpConnection): Promise<void> {
  for (const value of [1, -1]) {
    const events = [{ type: 'rel', data: { axis: 'x', value } }]
    await qmp.execute('input-send-event', { events }).catch((error: unknown) => {
      if (!(error instanceof QmpCommandError)) throw error
    })
  }
}

/** Reports whether a process in the guest has opened the port of the guest agent. */
export async function queryAgentPort(qmp: QmpConnection): Promise<boolean> {
  const devices = (await qmp.execute('query-chardev')) as readonly { readonly label: string; readonly 'frontend-open': boolean }[]
  return devices.some((device) => device.label === 'agent0' && device['frontend-open'])
}
