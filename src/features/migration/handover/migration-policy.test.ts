import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'
import { choosePolicy } from './migration-policy.ts'

type Labels = Record<string, string>

function policy(name: string, virtualMachineInstanceSelector: Labels, namespaceSelector: Labels = {}): MigrationPolicy {
  return { metadata: { name }, spec: { selectors: { virtualMachineInstanceSelector, namespaceSelector } } }
}

const labels = { guest: { app: 'web', tier: 'front' }, namespace: { team: 'a', stage: 'live' } }

suite('choosePolicy()', () => {
  const rows: readonly (readonly [string, readonly MigrationPolicy[], string | undefined])[] = [
    ['needs none', [], undefined],
    ['chooses none whose labels the guest lacks', [policy('x', { app: 'other' })], undefined],
    ['chooses none whose labels the namespace lacks', [policy('x', { app: 'web' }, { team: 'b' })], undefined],
    ['chooses the most specific one', [policy('a', { app: 'web' }), policy('z', { app: 'web', tier: 'front' })], 'z'],
    ['counts both kinds of labels', [policy('a', { app: 'web' }), policy('z', { app: 'web' }, { team: 'a' })], 'z'],
    ['prefers labels of guests', [policy('a', {}, { team: 'a' }), policy('z', { app: 'web' })], 'z'],
    ['uses the name as the last criterion', [policy('z', { app: 'web' }), policy('a', { tier: 'front' })], 'a'],
  ]
  for (const [name, policies, expected] of rows) {
    test(name, () => assert.equal(choosePolicy(policies, labels)?.metadata.name, expected))
  }
})
