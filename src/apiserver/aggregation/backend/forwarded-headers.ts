import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestHeaders } from '#apiserver/http/exchange.ts'
import { type HeaderList, headerList } from './backend.ts'

/** Hop-by-hop headers. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Reports whether a header carries an identity. Backends trust those of the proxy, so none of the
 * client may pass.
 */
function isCredential(name: string): boolean {
  return name === 'authorization' || name.startsWith('x-remote-') || name.startsWith('impersonate-')
}

/** Removes the headers that `Connection` names. */
function endToEnd(headers: HeaderList): HeaderList {
  const claimed = new Set(
    headers.flatMap(([name, value]) => (name === 'connection' ? value.split(',').map((option) => option.trim().toLowerCase()) : [])),
  )
  return headers.filter(([name]) => !hopByHop.has(name) && !claimed.has(name))
}

/** Header values are bytes: encodes text as UTF-8. */
function fieldValue(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Percent-encodes characters that a header name cannot contain. */
function escapeKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[!#$&'*+\-.^_`|~\w]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
    .toLowerCase()
}

/** Returns the identity headers of a user. */
export function identityHeaders({ username, uid = '', groups, extra = {} }: UserInfo): HeaderList {
  return [
    ['x-remote-user', fieldValue(username)],
    ...(uid === '' ? [] : [['x-remote-uid', fieldValue(uid)] as const]),
    ...groups.map((group) => ['x-remote-group', fieldValue(group)] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`x-remote-extra-${escapeKey(key)}`, fieldValue(value)] as const),
    ),
  ]
}

/**
 * Returns the headers for the backend: those of the client without credentials, and the user's
 * identity, unless the backend is none of the servers that are told it.
 */
export function forwardedRequest(headers: RequestHeaders, user: UserInfo | undefined, auditId: string, address: string): HeaderList {
  const sent = endToEnd(headerList(headers)).filter(([name]) => !isCredential(name) && !ours.has(name))
  const from = address.replace(/:\d+$/, '')
  const before = headers['x-forwarded-for']
  const route = [...(before === undefined ? [] : [before].flat()), from].join(', ')
  return [...sent, ['x-forwarded-for', route], ['audit-id', auditId], ...(user === undefined ? [] : identityHeaders(user))]
}

const ours: ReadonlySet<string> = new Set(['host', 'audit-id', 'x-forwarded-for', 'expect'])

/** Returns the headers of an answer for the client. */
export function forwardedAnswer(headers: HeaderList): Record<string, string | readonly string[]> {
  const result: Record<string, string | readonly string[]> = {}
  for (const [name, value] of endToEnd(headers)) {
    const before = result[name]
    result[name] = before === undefined ? value : [before, value].flat()
  }
  return result
}
