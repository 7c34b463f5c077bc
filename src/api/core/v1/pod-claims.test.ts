import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOfPod } from './pod-claims.ts'

test('claimsOfPod() counts named claims and those of ephemeral volumes', () => {
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'b', persistentVolumeClaim: { claimName: 'shared', readOnly: true } },
    { name: 'c', emptyDir: {} },
    { name: 'd', ephemeral: { volumeClaimTemplate: { spec: {} } } },
  ]
  assert.deepEqual(claimsOfPod({ metadata: { name: 'web' }, spec: { containers: [], volumes } }), [
    { name: 'data', readOnly: false },
    { name: 'shared', readOnly: true },
    { name: 'web-d', readOnly: false },
  ])
})
