import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'

/**
 * Trusted front proxies and the headers in which they pass the user. Header names are in lower
 * case.
 */
export interface FrontProxy {
  /** PEM; undefined: no proxy is trusted. */
  readonly authority: string | undefined
  /** Common names of the proxies. Empty: every certificate of the authority. */
  readonly allowedNames: readonly string[]
  readonly userHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

/** User of a request, as passed by a front proxy. */
export interface Caller {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Trusts no front proxy: the default until the configuration of the cluster is known. */
export const noFrontProxy: FrontProxy = {
  authority: undefined,
  allowedNames: [],
  userHeaders: [],
  uidHeaders: [],
  groupHeaders: [],
  extraPrefixes: [],
}

/**
 * Reads the data of the ConfigMap `kube-system/extension-apiserver-authentication`. Missing or
 * malformed values trust no proxy.
 */
export function parseFrontProxy(data: Readonly<Record<string, string>> | undefined): FrontProxy {
  const authority = data?.['requestheader-client-ca-file'] ?? ''
  const allowedNames = listOf(data?.['requestheader-allowed-names'] ?? '[]')
  const lowered = (key: string): readonly string[] =>
    (listOf(data?.[`requestheader-${key}`] ?? '[]') ?? []).map((name) => name.toLowerCase())
  if (authority === '' || allowedNames === undefined) return noFrontProxy
  return {
    authority,
    allowedNames,
    userHeaders: lowered('username-headers'),
    uidHeaders: lowered('uid-headers'),
    groupHeaders: lowered('group-headers'),
    extraPrefixes: lowered('extra-headers-prefix'),
  }
}

function listOf(text: string): readonly string[] | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the user of a request; undefined when no trusted proxy names one. */
export function callerOf(proxy: FrontProxy, request: Pick<IncomingMessage, 'socket' | 'headersDistinct'>): Caller | undefined {
  const name = proxyName(request.socket as TLSSocket)
  if (proxy.authority === undefined || name === undefined) return undefined
  if (proxy.allowedNames.length > 0 && !proxy.allowedNames.includes(name)) return undefined
  return readCaller(proxy, request.headersDistinct)
}

/**
 * Common name of the certificate that the connection was opened with, if one was shown and it is of
 * the authority that we trust.
 */
function proxyName(socket: TLSSocket): string | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined || !socket.authorized) return undefined
  return certificate.toLegacyObject().subject.CN?.toString()
}

/** Reads the user from the headers of a trusted proxy. */
export function readCaller(proxy: FrontProxy, headers: NodeJS.Dict<string[]>): Caller | undefined {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => headers[name]?.[0] ?? '').find((value) => value !== '')
  const username = first(proxy.userHeaders)
  if (username === undefined) return undefined
  const uid = first(proxy.uidHeaders)
  return {
    username: textOf(username),
    ...(uid === undefined ? {} : { uid: textOf(uid) }),
    groups: proxy.groupHeaders.flatMap((name) => headers[name] ?? []).map(textOf),
    extra: extraOf(proxy.extraPrefixes, headers),
  }
}

function extraOf(prefixes: readonly string[], headers: NodeJS.Dict<string[]>): Record<string, readonly string[]> {
  // Without a prototype of its own a key such as `__proto__` is one like any other.
  const extra = Object.create(null) as Record<string, readonly string[]>
  for (const [name, values = []] of Object.entries(headers)) {
    const prefix = prefixes.find((candidate) => name.startsWith(candidate) && name.length > candidate.length)
    if (prefix !== undefined) extra[keyOf(name.slice(prefix.length))] = values.map(textOf)
  }
  return extra
}

/** Keys percent-encode characters that are invalid in header names. */
function keyOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded).toLowerCase()
  } catch {
    return encoded
  }
}

/** Node reads header bytes as Latin-1; the values are UTF-8. */
function textOf(field: string): string {
  return Buffer.from(field, 'latin1').toString('utf8')
}
