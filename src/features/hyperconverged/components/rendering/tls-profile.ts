import { isJsonObject } from '#apimachinery/own-property.ts'
import { tlsLimitsOf } from '#features/cluster-config/index.ts'
import type { TlsLimits } from '#runtime/webhook/tls-limits.ts'
import { FieldUnusable } from './rendering.ts'

/** Protocol versions and ciphers of a profile. */
export interface TlsSettings {
  readonly minTLSVersion: string
  /** OpenSSL names; none where the protocol version has no choice. */
  readonly ciphers: readonly string[]
}

const aead = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
]
const old = [
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-RSA-AES128-SHA256',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA256',
  'AES128-SHA',
  'AES256-SHA',
  'DES-CBC3-SHA',
]

/** Profiles of OpenShift, which follow Mozilla's recommendations. */
const profiles: Readonly<Record<string, TlsSettings>> = {
  Old: { minTLSVersion: 'VersionTLS10', ciphers: [...aead, ...old] },
  Intermediate: { minTLSVersion: 'VersionTLS12', ciphers: aead },
  Modern: { minTLSVersion: 'VersionTLS13', ciphers: [] },
}

/** Reads a TLS profile; Intermediate when absent. Pure. @throws FieldUnusable */
export function tlsSettingsOf(profile: unknown): TlsSettings {
  const { type = 'Intermediate', custom } = isJsonObject(profile) ? profile : {}
  if (type !== 'Custom')
    return profiles[String(type)] ?? refuse(`type must be Old, Intermediate, Modern or Custom, and is ${JSON.stringify(type)}`)
  const { ciphers = [], minTLSVersion = '' } = isJsonObject(custom) ? custom : {}
  const known = ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13']
  const names = Array.isArray(ciphers) ? ciphers.map(String) : []
  if (!known.includes(String(minTLSVersion))) refuse(`custom.minTLSVersion must be one of ${known.join(', ')}`)
  if (minTLSVersion === 'VersionTLS13' && names.length > 0) refuse('custom.ciphers must be empty: TLS 1.3 has no choice of ciphers')
  const http2 = ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256']
  if (minTLSVersion !== 'VersionTLS13' && !names.some((name) => http2.includes(name)))
    refuse(`custom.ciphers must contain ${http2.join(' or ')}, which HTTP/2 needs`)
  return { minTLSVersion: String(minTLSVersion), ciphers: names }
}

/** Settings of the operator's own listener; undefined for a profile that is refused. Pure. */
export function listenerLimitsOf(profile: unknown): TlsLimits | undefined {
  try {
    const { minTLSVersion, ciphers } = tlsSettingsOf(profile)
    return tlsLimitsOf({ minTLSVersion, ciphers: [...ianaNames(ciphers)] })
  } catch (error) {
    if (!(error instanceof FieldUnusable)) throw error
    return undefined
  }
}

/** Reports whether a cipher has a name that components know. Pure. */
export function isKnownCipher(name: unknown): boolean {
  return typeof name === 'string' && (iana(name) !== undefined || name.startsWith('TLS_'))
}

function refuse(message: string): never {
  throw new FieldUnusable(message)
}

/** Returns the IANA names of ciphers by their OpenSSL names; unknown ones are left out. Pure. */
export function ianaNames(ciphers: readonly string[]): readonly string[] {
  return ciphers.flatMap((name) => iana(name) ?? [])
}

function iana(name: string): string | undefined {
  if (name.startsWith('TLS_')) return name
  const chacha = /^ECDHE-(ECDSA|RSA)-CHACHA20-POLY1305$/.exec(name)
  if (chacha !== null) return `TLS_ECDHE_${chacha[1]}_WITH_CHACHA20_POLY1305_SHA256`
  if (name === 'DES-CBC3-SHA') return 'TLS_RSA_WITH_3DES_EDE_CBC_SHA'
  const match = /^(?:ECDHE-(ECDSA|RSA)-)?AES(128|256)-(GCM-)?SHA(256|384)?$/.exec(name)
  if (match === null) return undefined
  const [, key, bits, gcm, hash = ''] = match
  return `TLS_${key === undefined ? 'RSA' : `ECDHE_${key}`}_WITH_AES_${bits}_${gcm === undefined ? 'CBC' : 'GCM'}_SHA${hash}`
}
