import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePoolSelectionPolicy } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { choose } from './choose.ts'

function vm(ordinal: number, minute: number, uid: string, zone: string): VirtualMachine {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  return {
    metadata: { name: `web-${ordinal}`, uid, creationTimestamp },
    spec: { template: { metadata: { labels: { zone } }, spec: { domain: { devices: {} }, nodeSelector: { rack: zone } } } },
  }
}

const vms = [vm(2, 1, 'b', '1'), vm(10, 3, 'c', '2'), vm(0, 2, 'a', '3')]

const table: readonly (readonly [VirtualMachinePoolSelectionPolicy | undefined, string])[] = [
  [undefined, 'web-0 web-2 web-10'],
  [{ sortPolicy: 'Random' }, 'web-0 web-2 web-10'],
  [{ sortPolicy: 'AscendingOrder' }, 'web-0 web-2 web-10'],
  [{ sortPolicy: 'DescendingOrder' }, 'web-10 web-2 web-0'],
  [{ sortPolicy: 'Oldest' }, 'web-2 web-0 web-10'],
  [{ sortPolicy: 'Newest' }, 'web-10 web-0 web-2'],
  [{ sortPolicy: 'Newest', selectors: { labelSelector: { matchLabels: { zone: '2' } } } }, 'web-10'],
  [{ selectors: { nodeSelectorRequirementMatcher: [{ key: 'rack', operator: 'Gt', values: ['1'] }] } }, 'web-0 web-10'],
  [{ selectors: { nodeSelectorRequirementMatcher: [{ key: 'rack', operator: 'NotIn', values: ['1', '2'] }] } }, 'web-0'],
  [{ selectors: { nodeSelectorRequirementMatcher: [{ key: 'rack', operator: 'DoesNotExist' }] } }, ''],
  [
    {
      selectors: {
        labelSelector: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
        nodeSelectorRequirementMatcher: [
          { key: 'rack', operator: 'Lt', values: ['3'] },
          { key: 'rack', operator: 'In', values: ['2', '3'] },
        ],
      },
    },
    'web-10',
  ],
]

suite('choose()', () => {
  for (const [policy, names] of table)
    test(`${JSON.stringify(policy)}: ${names}`, () => {
      assert.equal(
        choose(vms, policy)
          .map(({ metadata }) => metadata.name)
          .join(' '),
        names,
      )
    })
})
