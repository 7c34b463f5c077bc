import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Credentials } from '#oci/push/credentials.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { TaskContext } from '../../task.ts'
import { mountedAt } from '../mounted-at.ts'

/** Where the Secret is mounted. */
export const credentialsPath = '/registry-credentials'

/**
 * Reads the login of the registry: upstream's variables, or else the Secret's files. @throws
 * TaskFailed when a key is missing or empty
 */
export async function readLogin(environment: TaskContext['environment']): Promise<Credentials> {
  const folder = mountedAt(environment, credentialsPath)
  const read = async (variable: string, key: string): Promise<string> => {
    const value = environment[variable] || (await readFile(join(folder, key), 'utf8').catch(() => '')).trim()
    if (value !== '') return value
    throw new TaskFailed(
      exitCodes.preconditionFailed,
      `There is no login for the registry: the Secret of SECRET_NAME needs the key "${key}"; without a pod, give ${variable} in the environment`,
    )
  }
  return { username: await read('ACCESS_KEY_ID', 'accessKeyId'), password: await read('SECRET_KEY', 'secretKey') }
}

/**
 * Makes this process trust the authority in the Secret's optional key `ca.crt`, for a registry of
 * one's own: `fetch` takes none for itself.
 */
export async function trustOwnAuthority(environment: TaskContext['environment']): Promise<void> {
  const file = join(mountedAt(environment, credentialsPath), 'ca.crt')
  const authority = await readFile(file, 'utf8').catch(() => undefined)
  if (authority !== undefined) setDefaultCACertificates([...getCACertificates('default'), authority])
}
