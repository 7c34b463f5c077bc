import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { quotaScopeFaults } from './quota-scopes.ts'

const faults = (scopes: string[], hard: Record<string, string> = {}): string[] =>
  quotaScopeFaults({ scopes, hard }).map(({ field, message }) => `${field}: ${message}`)
const refused = (scopes: string, why: string): string => `spec.scopes: Invalid value: []core.ResourceQuotaScope{${scopes}}: ${why}`

suite('Scopes of quotas', () => {
  test('are accepted with resources that they can count', () => {
    assert.deepEqual(faults([], { services: '1' }), [])
    assert.deepEqual(faults(['NotTerminating', 'BestEffort'], { pods: '1', 'count/jobs.batch': '2' }), [])
    assert.deepEqual(faults(['Terminating'], { cpu: '1', 'limits.memory': '1Gi' }), [])
  })

  test('are refused when unknown, not countable or contradictory', () => {
    assert.deepEqual(faults(['Sometimes']), [refused('"Sometimes"', 'unsupported scope')])
    assert.deepEqual(faults(['BestEffort'], { cpu: '1' }), [refused('"BestEffort"', 'unsupported scope applied to resource')])
    assert.deepEqual(faults(['Terminating', 'NotTerminating']), [refused('"Terminating", "NotTerminating"', 'conflicting scopes')])
  })
})
