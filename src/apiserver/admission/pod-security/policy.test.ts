import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { describeStandard, policyOf } from './policy.ts'

suite('policyOf()', () => {
  for (const [name, labels, expected] of [
    ['is privileged without labels', {}, 'privileged:latest privileged:latest privileged:latest'],
    [
      'reads all modes',
      { enforce: 'baseline', audit: 'restricted', warn: 'restricted' },
      'baseline:latest restricted:latest restricted:latest',
    ],
    [
      'warns at the enforced level unless told otherwise',
      { enforce: 'restricted', 'enforce-version': 'v1.24' },
      'restricted:v1.24 privileged:latest restricted:v1.24',
    ],
    ['keeps a version for warnings', { enforce: 'baseline', 'warn-version': 'v1.30' }, 'baseline:latest privileged:latest baseline:v1.30'],
    ['lets warnings be off', { enforce: 'restricted', warn: 'privileged' }, 'restricted:latest privileged:latest privileged:latest'],
    ['enforces restricted where it cannot read the level', { enforce: 'strict' }, 'restricted:latest privileged:latest privileged:latest'],
    [
      'neither audits nor warns where it cannot read the level',
      { audit: 'x', warn: '' },
      'privileged:latest privileged:latest privileged:latest',
    ],
  ] as const) {
    test(name, () => {
      const { enforce, audit, warn } = policyOf(prefixed(labels)).policy
      assert.equal([enforce, audit, warn].map(describeStandard).join(' '), expected)
    })
  }

  for (const [labels, error] of [
    [{ enforce: 'restricted', 'enforce-version': 'latest' }, undefined],
    [
      { enforce: 'Baseline' },
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "Baseline": must be one of privileged, baseline, restricted',
    ],
    [
      { 'audit-version': '1.25' },
      'metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "1.25": must be "latest" or "v1.x"',
    ],
    [
      { 'warn-version': 'v1.01' },
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v1.01": must be "latest" or "v1.x"',
    ],
  ] as const) {
    test(`finds ${error === undefined ? 'no error' : 'the error'} in ${JSON.stringify(labels)}`, () => {
      const [found] = policyOf(prefixed(labels)).errors
      assert.equal(found && `${found.field}: ${found.message}`, error)
    })
  }
})

function prefixed(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]))
}
