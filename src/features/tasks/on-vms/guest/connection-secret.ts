import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secrets } from '#api/core/v1/resources.ts'
import { isForbidden } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { objectName } from '../../objects/object-names.ts'
import type { TaskContext } from '../../task.ts'
import { parseSshOptions, type SshOptions } from './ssh-options.ts'

/** How to log in to a guest. */
export interface GuestConnection {
  readonly user: string
  /** PEM text, with a line break at its end. */
  readonly privateKey: string
  /** Public key of the guest, `TYPE KEY`. Undefined: any key is taken. */
  readonly hostKey?: string
  readonly options: SshOptions
}

/** Where a pod sees the secret. */
export const connectionSecretFolder = '/data/connectionsecret'
/** Value of `secretName` for tasks that run nothing in the guest. */
export const noSecret = '__empty__'

type Keys = Readonly<Record<string, string | undefined>>

/**
 * Reads the connection secret: as the pod mounts it, or else by the API in the namespace of the
 * program. @throws TaskFailed when it is missing or incomplete
 */
export async function readConnectionSecret(context: TaskContext): Promise<GuestConnection> {
  const name = objectName(context.parameters, 'secretName')
  if (name === '' || name === noSecret) throw badInput('A command or script needs the parameter secretName: the secret to connect with')
  const folder = mountedAt(context.environment, connectionSecretFolder)
  const keys = (await keysOfFolder(folder)) ?? (await keysOfSecret(context, name))
  return connectionOf(name, keys)
}

/** The folder that a kubelet without the right to mount shows a volume at. */
function mountedAt(environment: TaskContext['environment'], path: string): string {
  const mounts = (environment['STEADYVM_MOUNTS'] ?? '').split(':').map((mount) => mount.split('='))
  return mounts.find(([target]) => target?.replace(/\/$/, '') === path)?.[1] ?? path
}

/** Undefined: no secret is mounted. One that is missing leaves an empty folder. */
async function keysOfFolder(folder: string): Promise<Keys | undefined> {
  let names: readonly string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  // The kubelet's own entries begin with two dots.
  const entries = names
    .filter((name) => !name.startsWith('..'))
    .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)
  return entries.length === 0 ? undefined : Object.fromEntries(await Promise.all(entries))
}

async function keysOfSecret({ client, namespace, signal }: TaskContext, name: string): Promise<Keys> {
  const secret = await found(client.get(secrets, { namespace, name }, { signal })).catch((error: unknown) => {
    // The account of a pod may not read secrets: they are mounted.
    if (isForbidden(error)) return undefined
    throw error
  })
  if (secret === undefined) throw missing(name)
  return Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
}

/** Pure. @throws TaskFailed */
function connectionOf(secret: string, keys: Keys): GuestConnection {
  if (Object.keys(keys).length === 0) throw missing(secret)
  const refuse = (why: string): never => {
    throw new TaskFailed(exitCodes.preconditionFailed, `Cannot use the connection secret "${secret}": ${why}`)
  }
  const key = (name: string): string => (keys[name] ?? '').trim()
  const type = key('type')
  if (type !== '' && type !== 'ssh') refuse(`its key "type" must be "ssh", and is ${JSON.stringify(type)}`)
  const user = key('user')
  if (user === '') refuse('it has no key "user"')
  // It becomes a word of ssh's command line.
  if (/^-|[\s@]/.test(user)) refuse(`${JSON.stringify(user)} is no user`)
  const privateKey = key('ssh-privatekey') || key('ssh-private-key')
  if (privateKey === '') refuse('it has no key "ssh-privatekey"')
  const takesAny = key('disable-strict-host-key-checking').toLowerCase()
  if (!['', 'true', 'false'].includes(takesAny))
    refuse(`its key "disable-strict-host-key-checking" must be "true" or "false", and is ${JSON.stringify(takesAny)}`)
  const hostKey = key('host-public-key')
  if (hostKey === '' && takesAny !== 'true') refuse('it needs the key "host-public-key", or "disable-strict-host-key-checking" with "true"')
  return {
    user,
    privateKey: `${privateKey}\n`,
    ...(takesAny === 'true' ? {} : { hostKey }),
    options: parseSshOptions(key('additional-ssh-options')),
  }
}

function missing(name: string): TaskFailed {
  return new TaskFailed(
    exitCodes.preconditionFailed,
    `There is no connection secret "${name}" in the namespace of the task, or it is empty: create it, for example by the task generate-ssh-keys`,
  )
}
