import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { QemuUnavailable } from '../host/capabilities.ts'
import { failureOf } from '../migration/failure.ts'
import { connectQmp, type QmpConnection } from '../qmp/connection.ts'
import type { Fingerprint } from './fingerprint.ts'
import { observeFingerprint } from './observe.ts'
import { rehearsalArguments, rehearsedApart } from './rehearsal-arguments.ts'

/** Time limit in milliseconds for a QEMU without backends. */
const patienceMs = 20_000

/**
 * The fingerprint that a guest would have in this QEMU: the very hardware is built, with nothing
 * behind it, and not one instruction runs. Takes about 0.1 s.
 * @throws QemuUnavailable with QEMU's complaint when there would be no such guest
 */
export async function rehearseFingerprint(binary: string, args: readonly string[]): Promise<Fingerprint> {
  const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'))
  const monitor = join(folder, 'qmp')
  const child = spawn(binary, rehearsalArguments(args, monitor), { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk))
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve())
    child.on('error', (error) => {
      complaint ||= error.message
      resolve()
    })
  })
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  try {
    using qmp = await connect(monitor, () => hasEnded)
    const { version, facts } = await observeFingerprint(qmp, args)
    return { version, facts: { ...facts, ...rehearsedApart(args) } }
  } catch (cause) {
    throw new QemuUnavailable(`Cannot rehearse the guest in "${binary}": ${failureOf(complaint) ?? String(cause)}`, { cause })
  } finally {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}

async function connect(monitor: string, hasEnded: () => boolean): Promise<QmpConnection> {
  for (let waitedMs = 0; ; waitedMs += 5) {
    try {
      return await connectQmp(monitor)
    } catch (error) {
      if (hasEnded() || waitedMs > patienceMs) throw error
      await sleep(5)
    }
  }
}
