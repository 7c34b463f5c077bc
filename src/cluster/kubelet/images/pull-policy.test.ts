import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decidePull, pullPolicyOf } from './pull-policy.ts'

suite('pull policies', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const policies: Readonly<Record<string, string>> = {
    'quay.io/a/b': 'Always',
    'quay.io:443/a/b': 'Always',
    'quay.io/a/b:latest': 'Always',
    'quay.io/a/b:v1': 'IfNotPresent',
    [`quay.io/a/b@${digest}`]: 'IfNotPresent',
    [`quay.io/a/b:latest@${digest}`]: 'IfNotPresent',
  }
  for (const [reference, policy] of Object.entries(policies))
    test(`${reference.slice(0, 40)} has ${policy} unless the pod says otherwise`, () => {
      assert.equal(pullPolicyOf(reference, undefined), policy)
      assert.equal(pullPolicyOf(reference, 'Never'), 'Never')
    })

  const decisions = [
    ['Always', true, 'ask'],
    ['Always', false, 'pull'],
    ['IfNotPresent', true, 'use'],
    ['IfNotPresent', false, 'pull'],
    ['Never', true, 'use'],
    ['Never', false, 'refuse'],
  ] as const
  for (const [policy, isHere, decision] of decisions)
    test(`${policy}, ${isHere ? 'here' : 'not here'}: ${decision}`, () => assert.equal(decidePull(policy, isHere), decision))
})
