import { readFile } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import type { CredentialSource } from './credentials.ts'
import { execCredentials } from './exec-credentials.ts'
import { fileCredentials } from './file-credentials.ts'
import type { HttpTransportConfig } from './http-config.ts'
import { KubeconfigError, parseKubeconfig } from './kubeconfig-file.ts'
import type { ClusterEntry, ContextEntry, KubeconfigFile, UserEntry } from './kubeconfig-file.ts'

/** Address and credentials of a cluster, and its default namespace. */
export interface ClusterAccess {
  readonly http: HttpTransportConfig
  /** Default `default`. */
  readonly namespace: string
  /** Name of the context, or `in-cluster`. */
  readonly context: string
}

/** Environment variables, as the caller has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Locations of the configuration. */
export interface KubeconfigOptions {
  /** File given by the user: no other location is read. */
  readonly path?: string
  readonly env: Environment
  /** Default: the file's current context. */
  readonly context?: string
}

// Where a pod finds its service account.
const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Finds a cluster as kubectl does: the given file, else the files of `KUBECONFIG`, else
 * `~/.kube/config`, else the pod's service account.
 * @throws KubeconfigError when there is none, or when it is invalid or not supported
 */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClusterAccess> {
  const { env, path } = options
  const candidates = path === undefined ? defaultPaths(env) : [path]
  const files = await readAll(candidates, path !== undefined)
  if (files.length > 0) return accessOf(files, options)
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return loadInClusterConfig({ env })
  throw new KubeconfigError(
    `No cluster is configured: looked for ${candidates.map((file) => `"${file}"`).join(', ')} and for a service account`,
  )
}

/**
 * Loads the configuration of a pod for its own cluster. @throws KubeconfigError outside of a
 * cluster
 */
export async function loadInClusterConfig(options: { readonly env: Environment; readonly directory?: string }): Promise<ClusterAccess> {
  const { env, directory = serviceAccountDirectory } = options
  const host = env['KUBERNETES_SERVICE_HOST']
  if (host === undefined) throw new KubeconfigError('KUBERNETES_SERVICE_HOST must be set inside of a cluster')
  const read = (file: string): Promise<string | undefined> => readFile(join(directory, file), 'utf8').catch(() => undefined)
  const [certificateAuthority, namespace] = await Promise.all([read('ca.crt'), read('namespace')])
  const address = host.includes(':') ? `[${host}]` : host
  return {
    http: {
      server: `https://${address}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
      credentials: fileCredentials({ token: { path: join(directory, 'token') } }),
    },
    namespace: namespace?.trim() ?? 'default',
    context: 'in-cluster',
  }
}

/** A parsed file with the directory that its relative paths start from. */
interface LoadedFile {
  readonly path: string
  readonly content: KubeconfigFile
}

/** An entry with its file. */
interface Found<E> {
  readonly entry: E
  readonly directory: string
}

function defaultPaths(env: Environment): string[] {
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
  return listed.length > 0 ? listed : [join(env['HOME'] ?? '.', '.kube', 'config')]
}

async function readAll(paths: readonly string[], required: boolean): Promise<LoadedFile[]> {
  const files: LoadedFile[] = []
  for (const path of paths) {
    try {
      files.push({ path, content: await parseKubeconfig(await readFile(path, 'utf8'), path) })
    } catch (cause) {
      if (!isMissing(cause)) throw cause
      // kubectl skips missing files of a list; one that the user has named must be there.
      if (required) throw new KubeconfigError(`Kubeconfig "${path}" does not exist`, { cause })
    }
  }
  return files
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function accessOf(files: readonly LoadedFile[], options: KubeconfigOptions): Promise<ClusterAccess> {
  const context = options.context ?? files.map((file) => file.content['current-context'] ?? '').find((name) => name !== '')
  if (context === undefined) throw new KubeconfigError('The kubeconfig has no current context: name one')
  const chosen = find<ContextEntry>(files, 'context', context, (file) =>
    file.contexts?.map(({ name, context: entry }) => ({ name, entry })),
  )
  const clusterName = chosen.entry.cluster ?? ''
  const cluster = find<ClusterEntry>(files, 'cluster', clusterName, (file) =>
    file.clusters?.map(({ name, cluster: entry }) => ({ name, entry })),
  )
  const userName = chosen.entry.user ?? ''
  const user =
    userName === ''
      ? { entry: {}, directory: '.' }
      : find<UserEntry>(files, 'user', userName, (file) => file.users?.map(({ name, user: entry }) => ({ name, entry })))
  return {
    http: { ...(await serverOf(cluster, clusterName)), credentials: credentialsOf(user, userName, options.env) },
    namespace: chosen.entry.namespace ?? 'default',
    context,
  }
}

/** The first file that has an entry of this name wins. */
function find<E>(
  files: readonly LoadedFile[],
  what: string,
  name: string,
  entries: (file: KubeconfigFile) => readonly { name: string; entry: E | undefined }[] | undefined,
): Found<E> {
  for (const file of files) {
    const entry = entries(file.content)?.find((candidate) => candidate.name === name)?.entry
    if (entry !== undefined) return { entry, directory: dirname(resolve(file.path)) }
  }
  throw new KubeconfigError(`The kubeconfig has no ${what} "${name}"`)
}

async function serverOf({ entry, directory }: Found<ClusterEntry>, name: string): Promise<HttpTransportConfig> {
  if (entry.server === undefined) throw new KubeconfigError(`Cluster "${name}" of the kubeconfig has no server`)
  if (entry['proxy-url'] !== undefined)
    throw new KubeconfigError(`Cluster "${name}" of the kubeconfig has a proxy-url, which is not supported`)
  const authority = await textOf(pemSource(entry['certificate-authority-data'], entry['certificate-authority'], directory))
  return {
    server: entry.server,
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(entry['tls-server-name'] === undefined ? {} : { serverName: entry['tls-server-name'] }),
    ...(entry['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
  }
}

function credentialsOf({ entry, directory }: Found<UserEntry>, name: string, env: Environment): CredentialSource {
  if (entry.exec !== undefined) return execCredentials({ ...entry.exec, ...commandOf(entry.exec.command, directory) }, env)
  if (entry['auth-provider'] !== undefined) {
    throw new KubeconfigError(`User "${name}" of the kubeconfig has an auth-provider, which is not supported: use an exec plugin`)
  }
  if (entry.username !== undefined) throw new KubeconfigError(`User "${name}" of the kubeconfig has a password, which is not supported`)
  const certificate = pemSource(entry['client-certificate-data'], entry['client-certificate'], directory)
  const key = pemSource(entry['client-key-data'], entry['client-key'], directory)
  // As in client-go, a token file wins over a token.
  const token = entry.tokenFile === undefined ? entry.token : { path: resolve(directory, entry.tokenFile) }
  return fileCredentials({
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
  })
}

/** A command with a slash is relative to its file; one without is searched in PATH. */
function commandOf(command: string | undefined, directory: string): { command?: string } {
  if (command === undefined) return {}
  return { command: command.includes('/') && !isAbsolute(command) ? resolve(directory, command) : command }
}

function pemSource(data: string | undefined, file: string | undefined, directory: string): string | { path: string } | undefined {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8')
  return file === undefined || file === '' ? undefined : { path: resolve(directory, file) }
}

async function textOf(source: string | { path: string } | undefined): Promise<string | undefined> {
  if (typeof source !== 'object') return source
  return readFile(source.path, 'utf8').catch((cause: unknown) => {
    throw new KubeconfigError(`Cannot read "${source.path}" that the kubeconfig names`, { cause })
  })
}
