import type { Credentials, CredentialSource } from './credentials.ts'
import { KubeconfigError } from './kubeconfig-file.ts'
import type { ExecEntry } from './kubeconfig-file.ts'

/** Output of an exec plugin. */
interface ExecCredential {
  readonly kind?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

/** Time limit of a plugin in milliseconds: it may open a browser for a login. */
const pluginTimeoutMs = 120_000
/** Credentials are renewed this long before they expire. */
const earlyMs = 10_000

/**
 * Runs a credential plugin on demand, and caches its result until it expires or the server refuses
 * it.
 */
export function execCredentials(
  exec: ExecEntry,
  environment: Readonly<Record<string, string | undefined>>,
  now: () => number = () => performance.timeOrigin + performance.now(),
): CredentialSource {
  let cached: Promise<{ credentials: Credentials; expiresMs: number }> | undefined
  const renew = (): Promise<{ credentials: Credentials; expiresMs: number }> => {
    const running = runPlugin(exec, environment).then(readCredential)
    running.catch(() => (cached = undefined))
    return (cached = running)
  }
  return async ({ refresh }) => {
    const known = cached === undefined || refresh ? await renew() : await cached
    if (known.expiresMs - earlyMs > now()) return known.credentials
    return (await renew()).credentials
  }
}

async function runPlugin(exec: ExecEntry, environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { command, apiVersion = 'client.authentication.k8s.io/v1' } = exec
  if (command === undefined) throw new KubeconfigError('An exec credential plugin must name its command')
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } })
  const own = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]))
  const { execFile } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const options = { env: { ...environment, ...own, KUBERNETES_EXEC_INFO: info }, timeout: pluginTimeoutMs, encoding: 'utf8' } as const
    execFile(command, [...(exec.args ?? [])], options, (cause, stdout) => {
      if (cause === null) return resolve(stdout)
      const hint = exec.installHint === undefined ? '' : `: ${exec.installHint}`
      reject(new KubeconfigError(`The credential plugin "${command}" failed${hint}`, { cause }))
    })
  })
}

function readCredential(text: string): { credentials: Credentials; expiresMs: number } {
  let status: ExecCredential['status']
  try {
    status = (JSON.parse(text) as ExecCredential).status
  } catch (cause) {
    throw new KubeconfigError('The credential plugin did not print JSON', { cause })
  }
  if (status === undefined) throw new KubeconfigError('The credential plugin printed no status')
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status
  const credentials = {
    ...(token === undefined ? {} : { bearerToken: token }),
    ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
  }
  return { credentials, expiresMs: expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp) }
}
