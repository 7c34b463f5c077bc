import { TaskFailed } from '../../exit-codes.ts'
import type { TaskContext } from '../../task.ts'
import type { GuestConnection } from './connection-secret.ts'
import { runInGuest } from './ssh.ts'
import { ensureRunning, type VmKey } from './vm-power.ts'

/** A script for a guest. */
export interface Execution {
  readonly key: VmKey
  readonly connection: GuestConnection
  readonly script: string
  /** For the start of the guest and its SSH server. */
  readonly startLimitMs: number
}

/**
 * Starts a VM when it is off, and runs a script in its guest. @throws TaskFailed with the exit code
 * of the script
 */
export async function execute(context: TaskContext, { key, connection, script, startLimitMs }: Execution): Promise<void> {
  const { clock } = context
  const end = clock.now() + startLimitMs
  await ensureRunning(context, key, startLimitMs)
  const code = await runInGuest(context, { key, connection, script, limitMs: Math.max(0, end - clock.now()) })
  if (code !== 0) throw new TaskFailed(code, `the script in the guest of VM ${key.namespace}/${key.name} ended with exit code ${code}`)
}
