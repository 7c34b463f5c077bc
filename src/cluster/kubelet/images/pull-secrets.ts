import type { Pod } from '#api/core/v1/pod.ts'
import type { ConfigurationData, ConfigurationSource } from '../environment/configuration-source.ts'

/** User and password for what an address names: a registry, or some of its repositories. */
export interface RegistryLogin {
  /** `registry.example.com:5000/team`, without scheme. */
  readonly address: string
  readonly user: string
  readonly password: string
}

/** Logins of a pod, and the names of its pull secrets that cannot be used. */
export interface PodLogins {
  readonly logins: readonly RegistryLogin[]
  readonly unusable: readonly string[]
}

/** Reads the pull secrets of a pod, as they are at the moment. */
export async function readPodLogins(source: Pick<ConfigurationSource, 'secret'>, pod: Pod): Promise<PodLogins> {
  const names = (pod.spec.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '')
  const found = await Promise.all(
    names.map(async (name) => {
      const data = await source.secret(pod.metadata.namespace ?? '', name).catch(() => undefined)
      return { name, logins: data === undefined ? undefined : loginsIn(data) }
    }),
  )
  return {
    logins: found.flatMap(({ logins }) => logins ?? []),
    unusable: found.filter(({ logins }) => logins === undefined).map(({ name }) => name),
  }
}

/** Logins in a Secret with credentials of registries; undefined if it has none. Pure. */
export function loginsIn(data: ConfigurationData): readonly RegistryLogin[] | undefined {
  const current = parse(data.get('.dockerconfigjson'))
  const auths = current === undefined ? parse(data.get('.dockercfg')) : current['auths']
  if (!isObject(auths)) return undefined
  return Object.entries(auths).flatMap(([address, entry]) => {
    if (!isObject(entry)) return []
    const { username, password, auth } = entry
    const named = typeof username === 'string' && typeof password === 'string' ? { user: username, password } : undefined
    const login = named ?? (typeof auth === 'string' ? decoded(auth) : undefined)
    return login === undefined ? [] : [{ address: addressOf(address), ...login }]
  })
}

/** Logins for a repository, those of the longest address first. Pure. */
export function loginsFor(host: string, repository: string, logins: readonly RegistryLogin[]): readonly RegistryLogin[] {
  return logins
    .filter(({ address }) => covers(address, host, repository))
    .toSorted((one, other) => other.address.length - one.address.length)
}

/** Docker Hub has several names. */
const hub = { hosts: ['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'], name: 'docker.io' } as const

function covers(address: string, host: string, repository: string): boolean {
  const [pattern = '', ...path] = address.split('/')
  const wanted = path.join('/')
  return matches(nameOf(pattern), nameOf(host)) && (wanted === '' || repository === wanted || repository.startsWith(`${wanted}/`))
}

function nameOf(host: string): string {
  return hub.hosts.some((each) => each === host) ? hub.name : host
}

/** A star stands for a part of one label of a host: `*.example.com`. */
function matches(pattern: string, host: string): boolean {
  const expression = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${expression.join('[^.:]*')}$`).test(host)
}

/** `https://index.docker.io/v1/` is the address that `docker login` writes. */
function addressOf(text: string): string {
  return text
    .replace(/^https?:\/\//, '')
    .replace(/\/v[12]\/?$/, '')
    .replace(/\/+$/, '')
}

function decoded(auth: string): Pick<RegistryLogin, 'user' | 'password'> | undefined {
  const [, user, password] = /^([^:]*):([^]*)$/.exec(Buffer.from(auth, 'base64').toString().replace(/\0+$/, '')) ?? []
  return user === undefined || password === undefined ? undefined : { user, password }
}

function parse(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> | undefined {
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
