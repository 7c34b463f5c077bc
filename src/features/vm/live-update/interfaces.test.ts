import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Interface } from '#api/kubevirt/v1/domain/interface.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { syncInterfaces, withoutAbsentInterfaces } from './interfaces.ts'

const card = (name: string, state?: string): Interface => ({ name, bridge: {}, ...(state === undefined ? {} : { state }) })
const base: Interface = { name: 'default', masquerade: {} }
const specOf = (...cards: readonly Interface[]): VirtualMachineInstanceSpec => ({
  networks: [{ name: 'default', pod: {} }, ...cards.map(({ name }) => ({ name, multus: { networkName: name } }))],
  domain: { devices: { interfaces: [base, ...cards] } },
})
const guest = (cards: readonly Interface[], shown: readonly string[] = cards.map(({ name }) => name)): VirtualMachineInstance => ({
  metadata: { name: 'web' },
  spec: specOf(...cards),
  status: { interfaces: ['default', ...shown].map((name) => ({ name })) },
})

interface Row {
  readonly reason: string
  readonly vmi: VirtualMachineInstance
  readonly wanted: readonly Interface[]
  readonly expected: readonly Interface[]
}

const rows: readonly Row[] = [
  { reason: 'plugs a new one', vmi: guest([]), wanted: [card('blue')], expected: [card('blue')] },
  { reason: 'plugs none that is absent', vmi: guest([]), wanted: [card('blue', 'absent')], expected: [] },
  { reason: 'plugs none of another binding', vmi: guest([]), wanted: [{ name: 'blue', sriov: {} }], expected: [] },
  { reason: 'takes a state over', vmi: guest([card('blue')]), wanted: [card('blue', 'down')], expected: [card('blue', 'down')] },
  { reason: 'takes a state away', vmi: guest([card('blue', 'down')]), wanted: [card('blue')], expected: [card('blue')] },
  {
    reason: 'keeps an absent one until the guest has released it',
    vmi: guest([card('blue', 'absent')]),
    wanted: [card('blue', 'absent')],
    expected: [card('blue', 'absent')],
  },
  {
    reason: 'does not take back what is being released',
    vmi: guest([card('blue', 'absent')]),
    wanted: [card('blue')],
    expected: [card('blue', 'absent')],
  },
  { reason: 'drops an absent one that is gone', vmi: guest([card('blue', 'absent')], []), wanted: [card('blue', 'absent')], expected: [] },
  { reason: 'keeps one that the VM has no more', vmi: guest([card('blue')]), wanted: [], expected: [card('blue')] },
  {
    reason: 'keeps the order',
    vmi: guest([card('red'), card('blue', 'absent')], ['red']),
    wanted: [card('green'), card('red')],
    expected: [card('red'), card('green')],
  },
]

suite('syncInterfaces()', () => {
  for (const { reason, vmi, wanted, expected } of rows)
    test(reason, () => {
      const { interfaces, networks } = syncInterfaces(vmi, specOf(...wanted))
      assert.deepEqual(interfaces, [base, ...expected])
      assert.deepEqual(networks.map(({ name }) => name).toSorted(), interfaces.map(({ name }) => name).toSorted())
    })
})

test('withoutAbsentInterfaces() leaves out absent ones, with their networks', () => {
  assert.deepEqual(withoutAbsentInterfaces(specOf(card('red'), card('blue', 'absent'))), specOf(card('red')))
  const unchanged = specOf(card('red', 'down'))
  assert.equal(withoutAbsentInterfaces(unchanged), unchanged)
})
