import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { waitFor } from '../../objects/wait.ts'
import type { TaskContext } from '../../task.ts'
import type { GuestConnection } from './connection-secret.ts'
import { openTunnel } from './tunnel.ts'
import type { VmKey } from './vm-power.ts'

/** Exit code of ssh when it could not log in. */
const noLogin = 255
/** How long logins may fail: a guest that boots gets its keys after its SSH server has started. */
const loginLimitMs = 120_000
const loginIntervalMs = 3_000
/** Milliseconds for an SSH server to say its name. */
const bannerMs = 10_000
/** Linux takes no longer word of a command line. */
const longestScript = 128 * 1024 - 1

/** Refuses a script that does not fit into the command line of ssh. @throws TaskFailed */
export function checkScript(script: string): void {
  const bytes = Buffer.byteLength(script)
  if (bytes > longestScript)
    throw badInput(`The script has ${bytes} bytes, and may have ${longestScript}: put it into the guest, and call it`)
}

/**
 * Runs a script in a guest by SSH, and returns its exit code. Waits for the SSH server, and for a
 * guest that does not know the key yet. @throws TaskFailed
 */
export async function runInGuest(
  context: TaskContext,
  {
    key,
    connection,
    script,
    limitMs,
  }: { readonly key: VmKey; readonly connection: GuestConnection; readonly script: string; readonly limitMs: number },
): Promise<number> {
  const { clock } = context
  const end = clock.now() + limitMs
  await untilServed(context, key, connection.options.port, limitMs)
  using tunnel = await openTunnel(context, { ...key, port: connection.options.port })
  const folder = join(context.directory, 'ssh')
  try {
    const words = await prepareSsh(folder, key, connection, tunnel.port)
    await untilLoggedIn(context, words, key, Math.min(loginLimitMs, end - clock.now()))
    context.log(`Running the script in the guest of VM ${key.namespace}/${key.name}`)
    const { code } = await context.runCommand([...words, '--', script], { signal: context.signal })
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Waits until something in the guest answers as an SSH server does. */
async function untilServed(context: TaskContext, key: VmKey, port: number, limitMs: number): Promise<void> {
  await waitFor(context, {
    what: `the SSH server at port ${port} of VM ${key.namespace}/${key.name}`,
    limitMs,
    check: async () => {
      const banner = await readBanner(context, { ...key, port }).catch((error: unknown) => {
        const { code, message } = error as Error & { readonly code?: unknown }
        if (code === 401 || code === 403) throw new TaskFailed(exitCodes.preconditionFailed, `Cannot reach the guest: ${message}`)
        return message
      })
      return banner.startsWith('SSH-') ? { done: undefined } : { waiting: banner === '' ? 'nothing answers' : banner.slice(0, 200) }
    },
  })
}

async function readBanner({ openGuestPort }: TaskContext, port: VmKey & { readonly port: number }): Promise<string> {
  const stream = await openGuestPort(port)
  const timer = setTimeout(() => stream.destroy(), bannerMs)
  try {
    for await (const chunk of stream) return String(chunk)
  } catch {
    // It has ended without a word.
  } finally {
    clearTimeout(timer)
    stream.destroy()
  }
  return ''
}

/** Logs in until that works. A guest that refuses the key for long is not waited for. */
async function untilLoggedIn(context: TaskContext, ssh: readonly string[], key: VmKey, limitMs: number): Promise<void> {
  await waitFor(context, {
    what: `a login to the guest of VM ${key.namespace}/${key.name}`,
    limitMs,
    intervalMs: loginIntervalMs,
    check: async () => {
      // A guest without this command gives another code than that of a failed login.
      const { code } = await context.runCommand([...ssh, '--', 'true'], { signal: context.signal, collects: true })
      return code === noLogin ? { waiting: 'ssh cannot log in' } : { done: undefined }
    },
  })
}

/** Writes key and known hosts to a private folder, and returns the command line up to the host. */
async function prepareSsh(
  folder: string,
  key: VmKey,
  { user, privateKey, hostKey, options }: GuestConnection,
  port: number,
): Promise<readonly string[]> {
  await mkdir(folder, { mode: 0o700 })
  const [identity, knownHosts] = [join(folder, 'key'), join(folder, 'known_hosts')]
  const alias = `vm.${key.name}.${key.namespace}`
  await writeFile(identity, privateKey, { mode: 0o600 })
  await writeFile(knownHosts, hostKey === undefined ? '' : `${alias} ${hostKey}\n`, { mode: 0o600 })
  // Of several values of an option, ssh takes the first one.
  const fixed = [
    'HostName=127.0.0.1',
    `Port=${port}`,
    `HostKeyAlias=${alias}`,
    `IdentityFile=${identity}`,
    'IdentitiesOnly=yes',
    'BatchMode=yes',
  ]
  const defaults = [
    `UserKnownHostsFile=${knownHosts}`,
    'GlobalKnownHostsFile=none',
    `StrictHostKeyChecking=${hostKey === undefined ? 'no' : 'yes'}`,
    'ConnectTimeout=30',
    // A guest that is switched off does not end the connection.
    'ServerAliveInterval=15',
    'ServerAliveCountMax=8',
    'LogLevel=ERROR',
  ]
  const optionWords = (list: readonly string[]): string[] => list.flatMap((option) => ['-o', option])
  return ['ssh', '-F', 'none', '-T', ...optionWords(fixed), ...options.words, ...optionWords(defaults), `${user}@${alias}`]
}
