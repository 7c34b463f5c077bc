/** Content of a kubeconfig file, as far as it is used. Field names are those of the format. */
export interface KubeconfigFile {
  readonly 'current-context'?: string
  readonly clusters?: readonly { readonly name: string; readonly cluster?: ClusterEntry }[] | null
  readonly contexts?: readonly { readonly name: string; readonly context?: ContextEntry }[] | null
  readonly users?: readonly { readonly name: string; readonly user?: UserEntry }[] | null
}

/** One API server. */
export interface ClusterEntry {
  readonly server?: string
  readonly 'tls-server-name'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'proxy-url'?: string
}

/** One combination of server, user and namespace. */
export interface ContextEntry {
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
}

/** One identity. */
export interface UserEntry {
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly exec?: ExecEntry
  readonly 'auth-provider'?: { readonly name?: string }
}

/** A program that prints credentials. */
export interface ExecEntry {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly provideClusterInfo?: boolean
}

/** The cluster configuration is missing or invalid. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

/**
 * Turns text into a kubeconfig. YAML is loaded only when the text is not JSON. @throws
 * KubeconfigError
 */
export async function parseKubeconfig(text: string, path: string): Promise<KubeconfigFile> {
  try {
    const value: unknown = text.trimStart().startsWith('{') ? JSON.parse(text) : (await import('yaml')).parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    if (value === null || value === undefined) return {}
  } catch (cause) {
    throw new KubeconfigError(`Cannot parse "${path}" as a kubeconfig`, { cause })
  }
  throw new KubeconfigError(`Cannot read "${path}" as a kubeconfig: it must hold a mapping`)
}
