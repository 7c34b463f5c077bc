import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { agentReportAnnotations } from '#features/node-health/index.ts'
import { canaryFault, expectedGuests } from './canary-health.ts'

const madeAt = Date.parse('2026-11-21T12:00:00Z')

function node(heard: string | undefined, word?: { readonly release: string; readonly guests: number }): Node {
  const heartbeat = heard === undefined ? {} : { 'kubevirt.io/heartbeat': JSON.stringify(heard) }
  return { metadata: { name: 'a', annotations: { ...heartbeat, ...(word === undefined ? {} : agentReportAnnotations(word)) } } }
}

suite('faultOf()', () => {
  const [before, after] = ['2026-11-21T11:59:59Z', '2026-11-21T12:00:02Z']
  const rows: readonly (readonly [string, Node, RegExp | undefined])[] = [
    ['reaches all guests', node(after, { release: 'new', guests: 2 }), undefined],
    ['reaches more guests than expected', node(after, { release: 'new', guests: 3 }), undefined],
    ['reaches fewer guests than expected', node(after, { release: 'new', guests: 1 }), /1 of the 2 guests/],
    ['has never sent a heartbeat', node(undefined), /not been heard of/],
    ['has sent a heartbeat in another version only', node(before, { release: 'old', guests: 2 }), /not been heard of/],
    ['reports no guests, in a version without this report', node(after, { release: 'old', guests: 0 }), undefined],
    ['has an unparsable report', { metadata: { annotations: { 'steadyvm.io/agent': '{' } } }, /not been heard of/],
  ]
  for (const [name, given, wanted] of rows) {
    test(`an agent that ${name} ${wanted === undefined ? 'allows the rollout' : 'stops the rollout'}`, () => {
      const fault = canaryFault(given, { madeAt }, 2, 'new')
      if (wanted === undefined) assert.equal(fault, undefined)
      else assert.match(fault ?? '', wanted)
    })
  }

  test('only running guests that are not being deleted count', () => {
    const guest = (phase: string, deletionTimestamp?: string): VirtualMachineInstance =>
      ({ metadata: deletionTimestamp === undefined ? {} : { deletionTimestamp }, status: { phase } }) as VirtualMachineInstance
    assert.equal(expectedGuests([guest('Running'), guest('Scheduled'), guest('Running', '2026-11-21T12:00:00Z'), guest('Failed')]), 1)
  })
})
