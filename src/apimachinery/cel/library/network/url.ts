import { parseIpAddress } from '#apimachinery/ip/ip-address.ts'

/** The parts of a URL as Go's net/url sees them; absent parts are empty. */
export interface ParsedUrl {
  readonly text: string
  readonly scheme: string
  /** With its port, and with brackets around an IPv6 address. */
  readonly host: string
  readonly hostname: string
  readonly port: string
  /** Path as written, with invalid characters escaped. */
  readonly path: string
  readonly query: string
}

const pattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s
// oxlint-disable-next-line no-control-regex -- these are what a URL must not contain
const control = /[\u0000-\u001f\u007f]/
const badEscape = /%(?![0-9A-Fa-f]{2})/
const userInfo = /^[A-Za-z0-9\-._~!$&'()*+,;=%:@]*$/
const hostCharacters = /^[A-Za-z0-9\-._~!$&'()*+,;=%:[\]<>"]*$/

/**
 * Reads an absolute URI or an absolute path, as Go's url.ParseRequestURI does; undefined when it is
 * neither.
 */
export function parseUrl(text: string): ParsedUrl | undefined {
  if (text === '' || control.test(text)) return undefined
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, scheme = '', authority, path = '', query = ''] = match
  if (scheme === '' && (!path.startsWith('/') || authority !== undefined)) {
    if (authority === undefined || !text.startsWith('//')) return undefined
  }
  if (badEscape.test(path)) return undefined
  // Something like `mailto:a` is a URI without a path.
  if (scheme !== '' && authority === undefined && path !== '' && !path.startsWith('/')) {
    return { text, scheme: scheme.toLowerCase(), host: '', hostname: '', port: '', path: '', query }
  }
  const host = parseHost(authority ?? '')
  if (host === undefined) return undefined
  return { text, scheme: scheme.toLowerCase(), ...host, path: escapePath(path), query }
}

function parseHost(authority: string): Pick<ParsedUrl, 'host' | 'hostname' | 'port'> | undefined {
  const at = authority.lastIndexOf('@')
  if (at >= 0 && !userInfo.test(authority.slice(0, at))) return undefined
  const host = authority.slice(at + 1)
  if (!hostCharacters.test(host) || badEscape.test(host)) return undefined
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -1
  if (host.startsWith('[') && bracket < 0) return undefined
  const colon = bracket >= 0 ? (host[bracket + 1] === ':' ? bracket + 1 : -1) : host.lastIndexOf(':')
  if (bracket >= 0 && colon < 0 && bracket !== host.length - 1) return undefined
  const port = colon < 0 ? '' : host.slice(colon + 1)
  const name = colon < 0 ? host : host.slice(0, colon)
  if (!/^\d*$/.test(port) || (bracket < 0 && name.includes(':'))) return undefined
  const hostname = bracket >= 0 ? name.slice(1, -1) : name
  if (bracket >= 0 && parseIpAddress(hostname.split('%25')[0] ?? '') === undefined) return undefined
  return { host, hostname, port }
}

/** Escapes characters that are invalid in a path, and keeps existing escapes. */
function escapePath(path: string): string {
  return encodeURI(path.toWellFormed())
    .replaceAll('%25', '%')
    .replaceAll(/[[\]#?]/g, (character) => encodeURIComponent(character))
}

function unescapeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Parses the keys of a query with all their values; malformed escapes are left out. */
export function parseQuery(query: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue
    const equals = part.indexOf('=')
    const key = unescapeQuery(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : unescapeQuery(part.slice(equals + 1))
    if (key === undefined || value === undefined) continue
    found.set(key, [...(found.get(key) ?? []), value])
  }
  return found
}
