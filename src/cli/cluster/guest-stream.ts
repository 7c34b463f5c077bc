import type { Duplex } from 'node:stream'
import type { Credentials } from '#client/node/credentials.ts'
import type { HttpTransportConfig } from '#client/node/http-config.ts'
import { CommandError } from '../context.ts'

/** A stream of a guest, below the path of its VMI: `console`, `portforward/22/tcp`. */
export interface GuestStreamTarget {
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/** The server refused a stream. */
export class StreamRefused extends CommandError {
  /** HTTP status. 400: the guest does not run yet, or cannot be reached now. */
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Subprotocol of KubeVirt's streams. */
const protocol = 'plain.kubevirt.io'

/**
 * Opens a stream of a guest through the API server, as virtctl does. @throws StreamRefused,
 * CommandError
 */
export async function openGuestStream(http: HttpTransportConfig, { namespace, name, subresource }: GuestStreamTarget): Promise<Duplex> {
  const { WebSocket, createWebSocketStream } = await import('ws')
  const credentials = (await http.credentials?.({ refresh: false })) ?? {}
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}/${subresource}`
  const client = new WebSocket(`${http.server.replace(/\/$/, '').replace(/^http/, 'ws')}${path}`, [protocol], {
    ...tlsOf(http, credentials),
    headers: credentials.bearerToken === undefined ? {} : { authorization: `Bearer ${credentials.bearerToken}` },
    perMessageDeflate: false,
  })
  await new Promise<void>((resolve, reject) => {
    client.once('open', resolve)
    client.once('error', (cause) =>
      reject(new CommandError(`Cannot open ${subresource} of "${namespace}/${name}": ${cause.message}`, undefined, { cause })),
    )
    client.once('unexpected-response', (_, response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () =>
        reject(new StreamRefused(response.statusCode ?? 500, messageOf(text) ?? `the server answered ${response.statusCode}`)),
      )
    })
  })
  return createWebSocketStream(client)
}

function tlsOf(
  { certificateAuthority, serverName, insecureSkipTlsVerify }: HttpTransportConfig,
  { certificate, key }: Credentials,
): object {
  return {
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
    ...(certificate === undefined ? {} : { cert: certificate, key }),
  }
}

/** Returns the message of a Status. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    return typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}
