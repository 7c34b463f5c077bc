import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterFactsOf } from './cluster-facts.ts'
import { tlsSettingsOf } from './tls-profile.ts'

const settings = (tlsSecurityProfile: unknown): unknown => ({ spec: { tlsSecurityProfile } })
const gcm = 'ECDHE-RSA-AES128-GCM-SHA256'
const intermediate = { type: 'Custom', custom: tlsSettingsOf(undefined) }

const rows: readonly (readonly [why: string, profile: unknown, wanted: unknown])[] = [
  ['none', undefined, undefined],
  ['a type', { type: 'Modern', modern: {} }, { type: 'Modern' }],
  ['an unknown type', { type: 'Best' }, undefined],
  ['garbage', 7, undefined],
  [
    'ciphers that exist nowhere are left out',
    { type: 'Custom', custom: { ciphers: ['none', gcm, 5], minTLSVersion: 'VersionTLS12' } },
    { type: 'Custom', custom: { ciphers: [gcm], minTLSVersion: 'VersionTLS12' } },
  ],
  ['custom without settings', { type: 'Custom' }, intermediate],
  ['no cipher for HTTP/2 is left', { type: 'Custom', custom: { ciphers: ['none'], minTLSVersion: 'VersionTLS12' } }, intermediate],
]

test('the TLS profile of a cluster is one that components take', () => {
  for (const [why, profile, wanted] of rows) assert.deepEqual(clusterFactsOf(true, settings(profile)).tlsSecurityProfile, wanted, why)
})

test('a cluster is OpenShift when the kind of its settings is installed', () => {
  assert.deepEqual(clusterFactsOf(false, settings({ type: 'Modern' })), { isOpenShift: false })
  assert.deepEqual(clusterFactsOf(true, undefined), { isOpenShift: true })
})
