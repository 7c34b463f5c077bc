import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import type { TLSConfiguration } from '#api/kubevirt/v1/kubevirt.ts'
import { SettingReader } from '../setting-reader.ts'
import { readTls, tlsLimitsOf } from './tls-limits.ts'

const gcm = 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'
const modern = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256'

suite('tlsLimitsOf()', () => {
  const rows: readonly (readonly [string, TLSConfiguration, object])[] = [
    ['nothing is limited by default', {}, {}],
    ['a version alone leaves the ciphers', { minTLSVersion: 'VersionTLS13' }, { minVersion: 'TLSv1.3' }],
    [
      'ciphers get the names of OpenSSL, and those of TLS 1.3 stay',
      {
        minTLSVersion: 'VersionTLS12',
        ciphers: [gcm, 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'TLS_RSA_WITH_AES_256_CBC_SHA256', 'TLS_RSA_WITH_AES_128_CBC_SHA'],
      },
      { minVersion: 'TLSv1.2', ciphers: `${modern}:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:AES256-SHA256:AES128-SHA` },
    ],
    ['unknown ciphers are left out', { ciphers: ['TLS_NEW', gcm] }, { ciphers: `${modern}:ECDHE-RSA-AES128-GCM-SHA256` }],
    [
      'old versions need a level of security',
      { minTLSVersion: 'VersionTLS10' },
      { minVersion: 'TLSv1', ciphers: `${modern}:DEFAULT:@SECLEVEL=0` },
    ],
  ]
  for (const [name, settings, wanted] of rows)
    test(name, () => {
      const limits = tlsLimitsOf(settings)
      assert.deepEqual(limits, wanted)
      createSecureContext(limits)
    })
})

suite('readTls()', () => {
  const last = { minVersion: 'TLSv1.3' } as const
  const rows: readonly (readonly [string, TLSConfiguration, string])[] = [
    ['an unknown version', { minTLSVersion: 'VersionTLS99', ciphers: [gcm] }, 'tls.minTLSVersion'],
    ['ciphers of which none is offered', { ciphers: ['TLS_NEW'] }, 'tls.ciphers'],
    ['ciphers with TLS 1.3', { minTLSVersion: 'VersionTLS13', ciphers: [gcm] }, 'tls.ciphers'],
  ]
  for (const [name, settings, field] of rows)
    test(`keeps the last settings with ${name}`, () => {
      const reader = new SettingReader()
      assert.equal(readTls(reader, 'tls', settings, last), last)
      assert.deepEqual(
        reader.problems.map((problem) => problem.field),
        [field],
      )
    })
})
