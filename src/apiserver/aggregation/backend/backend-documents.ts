import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { RemoteApi } from '../api-services/api-services.ts'
import { type BackendAnswer, BackendFailure, type HeaderList } from './backend.ts'
import type { BackendPool } from './backend-pool.ts'
import { identityHeaders } from './forwarded-headers.ts'

/** A document from a backend. */
export interface BackendDocument {
  readonly status: number
  readonly contentType: string
  readonly etag: string
  readonly body: Buffer
}

/** Identity of the server's own requests to backends. */
const aggregator: UserInfo = { username: 'system:kube-aggregator', groups: ['system:masters'] }

const limitBytes = 16 * 1024 * 1024
/** Time-out of a whole document. */
export const documentMs = 5_000

/** Fetches a document in the server's own name. Rejects at the time-out. */
export async function fetchDocument(
  pool: BackendPool,
  api: RemoteApi,
  address: HostPort,
  path: string,
  {
    method = 'GET',
    headers = [],
    user = aggregator,
  }: { readonly method?: string; readonly headers?: HeaderList; readonly user?: UserInfo } = {},
): Promise<BackendDocument> {
  const signal = AbortSignal.timeout(documentMs)
  const all: HeaderList = [['accept', 'application/json'], ...headers, ...identityHeaders(user)]
  const unique = [
    ...new Map(all.map((header) => [header[0] === 'x-remote-group' ? `${header[0]} ${header[1]}` : header[0], header])).values(),
  ]
  const answer = await pool.request(api, address, { method, path, headers: unique, signal })
  return {
    status: answer.status,
    contentType: headerIn(answer, 'content-type'),
    etag: headerIn(answer, 'etag'),
    body: await readBody(answer, signal),
  }
}

function headerIn({ headers }: BackendAnswer, name: string): string {
  return headers.find(([found]) => found === name)?.[1] ?? ''
}

async function readBody({ body }: BackendAnswer, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const onAbort = (): void => void body.destroy(new Error('context deadline exceeded'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limitBytes) throw new BackendFailure(`the document is larger than ${limitBytes} bytes`)
      chunks.push(chunk)
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  return Buffer.concat(chunks)
}
