import type { IncomingMessage } from 'node:http'

/** A request for an upload, as its client sent it. */
export interface UploadRequest {
  readonly method: 'HEAD' | 'POST' | 'PATCH'
  /** The client does not wait for the disk, only until its bytes have arrived. */
  readonly isAsync: boolean
  /** The file is the part `file` of a form. */
  readonly isForm: boolean
  /**
   * Name that the client has for the upload, so that it can be continued: the parameter `upload`.
   */
  readonly id?: string
  /** Bytes of the file before those of the request. */
  readonly offset: number
  /** The last bytes of the file are in the request. */
  readonly isLast: boolean
  /** Bytes of the whole file; undefined if the client does not say. */
  readonly total?: number
  /** `sha256:…` of the whole file, to be compared at its end. */
  readonly checksum?: string
}

/** Why a request is refused. */
export interface UploadRefusal {
  readonly status: number
  readonly text: string
}

/** Part of a file that is not its end: the format must be told by the first one. */
const leastPart = 1 << 20
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
/** CDI's. The first version has the same. */
const pathPattern = /^\/v1(?:beta1|alpha1)\/upload(-archive|(?:-form)?(?:-async)?)$/

/**
 * Reads a request. Paths are those of CDI's upload server; fields for uploads that continue are
 * those of the IETF's "Resumable Uploads for HTTP", with the difference that the client names the
 * upload. Pure.
 */
export function parseUploadRequest({
  method,
  url,
  headers,
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): UploadRequest | UploadRefusal {
  const parsed = URL.parse(url ?? '/', 'https://worker')
  const kind = pathPattern.exec(parsed?.pathname ?? '')?.[1]
  if (parsed === null || kind === undefined) return { status: 404, text: '' }
  const isForm = kind.includes('form')
  const isAsync = kind.endsWith('async')
  const id = parsed.searchParams.get('upload') ?? undefined
  if (method !== 'POST' && !(method === 'HEAD' && (isAsync || id !== undefined)) && !(method === 'PATCH' && id !== undefined))
    return { status: 404, text: '' }
  if (id !== undefined && !idPattern.test(id))
    return { status: 400, text: 'The parameter "upload" must be a name of 1 to 128 letters, digits, dots, dashes, underscores and colons' }
  if (id !== undefined && isForm) return { status: 400, text: 'A form cannot be continued: send the file itself' }
  const offset = count(headers['upload-offset'])
  const length = count(headers['upload-length'])
  const bytes = count(headers['content-length'])
  if (offset === 'invalid' || length === 'invalid') return { status: 400, text: 'Upload-Offset and Upload-Length must be numbers of bytes' }
  if (method === 'PATCH' && offset === undefined) return { status: 400, text: 'Upload-Offset must say where the bytes belong' }
  if (method === 'POST' && (offset ?? 0) !== 0) return { status: 400, text: 'An upload begins at offset 0: continue one by PATCH' }
  const complete = headers['upload-complete'] ?? '?1'
  if (complete !== '?1' && complete !== '?0') return { status: 400, text: 'Upload-Complete must be ?1 or ?0' }
  const isLast = complete === '?1'
  if (!isLast && id === undefined) return { status: 400, text: 'A file in several parts needs the parameter "upload"' }
  if (!isLast && typeof bytes === 'number' && bytes < leastPart)
    return { status: 400, text: `A part that is not the last one must have at least ${leastPart} bytes` }
  const checksum = digestOf(headers['repr-digest'])
  if (checksum === 'invalid')
    return { status: 400, text: 'Repr-Digest must have the digest of the file as sha-256=:BASE64: or sha-512=:BASE64:' }
  const start = offset ?? 0
  const total = length ?? (isLast && !isForm && typeof bytes === 'number' ? start + bytes : undefined)
  return {
    method,
    isAsync,
    isForm,
    offset: start,
    isLast,
    ...(id === undefined ? {} : { id }),
    ...(total === undefined ? {} : { total }),
    ...(checksum === undefined ? {} : { checksum }),
  }
}

function count(field: string | readonly string[] | undefined): number | 'invalid' | undefined {
  if (field === undefined) return undefined
  const value = /^\d{1,15}$/.test(String(field)) ? Number(field) : NaN
  return Number.isSafeInteger(value) ? value : 'invalid'
}

/** Returns `sha256:…` of the field of RFC 9530. Algorithms that are not known do not count. */
function digestOf(field: string | readonly string[] | undefined): string | undefined {
  if (field === undefined) return undefined
  const known = { 'sha-256': ['sha256', 32], 'sha-512': ['sha512', 64] } as const
  for (const part of String(field).split(',')) {
    const [, name = '', text = ''] = /^\s*([a-z0-9-]+)=:([A-Za-z0-9+/]*=*):\s*$/.exec(part) ?? []
    if (name === '') return 'invalid'
    if (name !== 'sha-256' && name !== 'sha-512') continue
    const bytes = Buffer.from(text, 'base64')
    return bytes.length === known[name][1] ? `${known[name][0]}:${bytes.toString('hex')}` : 'invalid'
  }
  return undefined
}
