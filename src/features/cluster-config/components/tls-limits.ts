import { getCiphers } from 'node:tls'
import type { TLSConfiguration } from '#api/kubevirt/v1/kubevirt.ts'
import type { TlsLimits } from '#runtime/webhook/tls-limits.ts'
import type { SettingReader } from '../setting-reader.ts'

const versions = { VersionTLS10: 'TLSv1', VersionTLS11: 'TLSv1.1', VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const
type Version = keyof typeof versions

/** Ciphers of TLS 1.3, which has no unsafe ones, and whose choice KubeVirt does not offer. */
const modern = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']

/** Reads the TLS settings of listeners. An invalid value keeps the last ones. */
export function readTls(reader: SettingReader, path: string, settings: TLSConfiguration = {}, last: TlsLimits): TlsLimits {
  const before = reader.problems.length
  const known = Object.keys(versions) as Version[]
  const version = reader.choice<Version | ''>(`${path}.minTLSVersion`, settings.minTLSVersion, known, { unset: '', last: '' })
  const ciphers = settings.ciphers ?? []
  const field = `${path}.ciphers`
  if (version === 'VersionTLS13') reader.list(field, ciphers, 'empty, since TLS 1.3 has no choice of ciphers', () => false)
  else reader.list(field, ciphers, 'IANA names of ciphers, of which one is offered', (names) => offeredCiphers(names).length > 0)
  return reader.problems.length > before ? last : tlsLimitsOf({ ...(version === '' ? {} : { minTLSVersion: version }), ciphers })
}

/**
 * Translates valid TLS settings for a listener. Ciphers that are not offered are left out. Pure.
 */
export function tlsLimitsOf({ minTLSVersion, ciphers = [] }: TLSConfiguration): TlsLimits {
  const version = minTLSVersion as Version | undefined
  // OpenSSL has the older protocol versions at its lowest level of security only.
  const level = version === 'VersionTLS10' || version === 'VersionTLS11' ? ['@SECLEVEL=0'] : []
  const offered = offeredCiphers(ciphers)
  const chosen = offered.length === 0 ? ['DEFAULT'] : offered
  return {
    ...(version === undefined ? {} : { minVersion: versions[version] }),
    ...(offered.length + level.length === 0 ? {} : { ciphers: [...new Set([...modern, ...chosen, ...level])].join(':') }),
  }
}

function offeredCiphers(names: readonly string[]): readonly string[] {
  const known = new Set(getCiphers())
  return names.flatMap((name) => openSslName(name) ?? []).filter((name) => known.has(name.toLowerCase()))
}

/** Returns OpenSSL's name of a cipher by its IANA name. */
function openSslName(name: string): string | undefined {
  if (modern.includes(name)) return name
  const [, exchange = '', cipher = ''] = /^TLS_(ECDHE_RSA|ECDHE_ECDSA|RSA)_WITH_(.*)$/.exec(name) ?? []
  const prefix = exchange === 'RSA' ? '' : `${exchange.replace('_', '-')}-`
  if (cipher === '3DES_EDE_CBC_SHA') return `${prefix}DES-CBC3-SHA`
  if (/^CHACHA20_POLY1305(_SHA256)?$/.test(cipher)) return `${prefix}CHACHA20-POLY1305`
  const match = /^AES_(128|256)_(GCM|CBC)_SHA(256|384)?$/.exec(cipher)
  return match === null ? undefined : `${prefix}AES${match[1]}-${match[2] === 'GCM' ? 'GCM-' : ''}SHA${match[3] ?? ''}`
}
