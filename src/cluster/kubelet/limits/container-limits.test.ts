import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ResourceRequirements } from '#api/core/v1/container.ts'
import { containerLimits, groupName, podOfGroup } from './container-limits.ts'

const limitsOf = (resources: ResourceRequirements | undefined, priorityClassName?: string): unknown =>
  containerLimits(
    { metadata: { name: 'p' }, spec: { containers: [], ...(priorityClassName === undefined ? {} : { priorityClassName }) } },
    resources === undefined ? {} : { resources },
  )

suite('containerLimits()', () => {
  const processes = 8_192
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ['limits the processes of every pod', limitsOf(undefined), { cpuShares: 2, processes }],
    ['takes shares from the request', limitsOf({ requests: { cpu: '250m', memory: '1Gi' } }), { cpuShares: 256, processes }],
    [
      'takes limits in whole and in suffixed numbers',
      limitsOf({ limits: { cpu: 2, memory: '64Mi' }, requests: { cpu: '100m' } }),
      { memoryBytes: 64 * 2 ** 20, cpuMillis: 2_000, cpuShares: 102, processes },
    ],
    [
      'takes a limit as the request where none is set',
      limitsOf({ limits: { cpu: '500m' } }),
      { cpuMillis: 500, cpuShares: 512, processes },
    ],
    ['leaves parts of the system alone', limitsOf({ requests: { cpu: '100m' } }, 'system-node-critical'), undefined],
    [
      'limits parts of the system that have a limit',
      limitsOf({ limits: { memory: '1Mi' } }, 'system-node-critical'),
      { memoryBytes: 2 ** 20, cpuShares: 2, processes },
    ],
  ]
  for (const [name, found, expected] of cases) test(name, () => assert.deepEqual(found, expected))
})

test('groupName() names the pod', () => assert.equal(podOfGroup(groupName('0123-abc', 'my-main', 3)), '0123-abc'))
