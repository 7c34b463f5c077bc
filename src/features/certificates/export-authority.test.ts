import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exportAuthorityTerms } from './export-authority.ts'

const hour = 3_600_000

test('exportAuthorityTerms() trusts an authority for as long as its certificates are valid', () => {
  const term = (longest: number) =>
    fc
      .record({ durationMs: fc.integer({ min: 60_000, max: longest }), share: fc.double({ min: 0.01, max: 0.99, noNaN: true }) })
      .map(({ durationMs, share }) => ({ durationMs, renewBeforeMs: durationMs * share }))
  fc.assert(
    fc.property(term(400 * hour), term(400 * hour), (ca, server) => {
      // The longest server certificate is no longer than the authority.
      const terms = exportAuthorityTerms({ ca, server: { ...server, durationMs: Math.min(server.durationMs, ca.durationMs) } })
      assert.ok(terms.server.durationMs <= terms.ca.renewBeforeMs)
      assert.ok(terms.ca.renewBeforeMs <= ca.durationMs / 2)
      assert.ok(terms.server.renewBeforeMs < terms.server.durationMs)
    }),
  )
  const usual = { ca: { durationMs: 168 * hour, renewBeforeMs: 33.6 * hour }, server: { durationMs: 24 * hour, renewBeforeMs: 4.8 * hour } }
  assert.deepEqual(exportAuthorityTerms(usual), usual)
})
