/** A registry refused a request, or cannot be reached. The message names the remedy. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

interface ErrorBody {
  readonly errors?: readonly { readonly code?: string; readonly message?: string }[]
}

/** Remedies by status. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'log in with "docker login", or give --username and --password-stdin',
  403: 'this user may not push there: use an account that may, or another registry',
  404: 'it has no such repository and does not make one: create it there first',
  405: 'it does not take images: check its address',
  413: 'it does not take files of this size: raise its limit, or that of the proxy before it',
  429: 'it limits requests: run the same command later; what is there is not sent again',
}

/** Creates the error for an answer. `what` completes "Cannot …". */
export async function answerError(what: string, response: Response, hint: string | undefined): Promise<RegistryError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const remedy =
    (status === 401 ? hint : undefined) ??
    REMEDIES[status] ??
    (status >= 500 ? 'run the same command again; what is there is not sent again' : 'see the log of the registry')
  return new RegistryError(`Cannot ${what}: the registry answers ${status}${explanationOf(text)}; ${remedy}`, status)
}

function explanationOf(text: string): string {
  try {
    const { errors = [] } = JSON.parse(text) as ErrorBody
    const all = errors.map(({ code, message }) => [code, message].filter((part) => part !== undefined && part !== '').join(': '))
    return all.length === 0 ? '' : ` (${all.join('; ')})`
  } catch {
    return ''
  }
}

/** Creates the error for a request that got no answer. */
export function connectionError(what: string, origin: string, cause: unknown): RegistryError {
  const inner = (cause as { cause?: NodeJS.ErrnoException }).cause
  const reason = inner?.code ?? inner?.message ?? (cause as Error).message
  return new RegistryError(`Cannot ${what}: no answer from ${origin} (${reason}); ${remedyOf(reason, origin)}`, 0, { cause })
}

function remedyOf(reason: string, origin: string): string {
  if (/SSL|TLS|packet length/i.test(reason)) return 'if the registry has no TLS, use --plain-http'
  if (/CERT|SIGNED|ISSUER/.test(reason)) return 'give the certificate of its authority in NODE_EXTRA_CA_CERTS'
  if (origin.startsWith('http:')) return 'check the address, and whether the registry runs'
  return 'check the address, and whether the registry runs; a local one without TLS needs --plain-http'
}
