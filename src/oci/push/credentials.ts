import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** User and password, or token, for a registry. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Credentials of a registry, or why there are none. */
export interface FoundCredentials {
  readonly credentials?: Credentials
  /** Remedy for a registry that wants some. */
  readonly hint?: string
}

/** The file of credentials cannot be used. The message names the remedy. */
export class CredentialsUnusable extends Error {
  override readonly name = 'CredentialsUnusable'
}

/** The part of `~/.docker/config.json` that is read. */
export interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly username?: string; readonly password?: string }>>
  readonly credsStore?: string
  readonly credHelpers?: Readonly<Record<string, string>>
}

/** Reads what `docker login` has stored for a registry. @throws CredentialsUnusable */
export async function readCredentials(registry: string, env: Readonly<Record<string, string | undefined>>): Promise<FoundCredentials> {
  const file = join(env['DOCKER_CONFIG'] ?? join(env['HOME'] ?? homedir(), '.docker'), 'config.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return credentialsIn(JSON.parse(text) as DockerConfig, registry, file)
  } catch (cause) {
    throw new CredentialsUnusable(`Cannot read credentials from "${file}": it is no JSON object; log in again with "docker login"`, {
      cause,
    })
  }
}

/**
 * Finds the credentials of a registry in a configuration. Programs that keep them are not run.
 * Pure.
 */
export function credentialsIn(config: DockerConfig, registry: string, file: string): FoundCredentials {
  for (const key of keysOf(registry)) {
    const { auth, username, password } = config.auths?.[key] ?? {}
    if (username !== undefined && password !== undefined) return { credentials: { username, password } }
    const [, name, secret] =
      /^([^:]*):([^]*)$/.exec(
        Buffer.from(auth ?? '', 'base64')
          .toString()
          .replace(/\0+$/, ''),
      ) ?? []
    if (name !== undefined && secret !== undefined) return { credentials: { username: name, password: secret } }
  }
  const helper = config.credHelpers?.[registry] ?? config.credsStore
  return helper === undefined
    ? {}
    : { hint: `"${file}" keeps its credentials in "${helper}", which is not asked: give --username and --password-stdin` }
}

function keysOf(registry: string): string[] {
  const names = registry === 'docker.io' ? ['index.docker.io', registry] : [registry]
  return names.flatMap((name) => [name, `https://${name}`, `https://${name}/v1/`, `https://${name}/v2/`])
}
