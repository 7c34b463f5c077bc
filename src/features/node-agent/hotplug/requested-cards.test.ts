import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Interface } from '#api/kubevirt/v1/domain/interface.ts'
import { decideCards, mayChangeCards, type ObservedCards } from './requested-cards.ts'

const networks = [{ name: 'default', pod: {} }, ...['blue', 'red', 'green'].map((name) => ({ name, multus: { networkName: name } }))]
const at = (name: string, port?: number): ObservedCards['present'][number] => ({ name, ...(port === undefined ? {} : { port }) })
const still: ObservedCards = { present: [at('default'), at('blue', 0)], freePorts: [1, 2], isMoving: false }
const base: readonly Interface[] = [
  { name: 'default', masquerade: {} },
  { name: 'blue', bridge: {} },
]
const card = (name: string, state?: string): Interface => ({ name, bridge: {}, ...(state === undefined ? {} : { state }) })

interface Row {
  readonly reason: string
  readonly interfaces: readonly Interface[]
  readonly observed?: Partial<ObservedCards>
  readonly plug?: readonly (readonly [string, number])[]
  readonly unplug?: readonly string[]
  readonly remove?: readonly string[]
  readonly refused?: Readonly<Record<string, RegExp>>
}

const rows: readonly Row[] = [
  { reason: 'nothing changes', interfaces: base },
  {
    reason: 'new cards take the free ports in their order',
    interfaces: [...base, card('red'), card('green', 'up')],
    plug: [
      ['red', 1],
      ['green', 2],
    ],
  },
  { reason: 'a card that is down is plugged, too', interfaces: [...base, card('red', 'down')], plug: [['red', 1]] },
  {
    reason: 'ports run out',
    interfaces: [...base, card('red'), card('green')],
    observed: { freePorts: [3] },
    plug: [['red', 3]],
    refused: { green: /no free port/ },
  },
  { reason: 'an absent card is unplugged', interfaces: [{ name: 'default' }, card('blue', 'absent')], unplug: ['blue'] },
  { reason: 'an absent card that is gone is removed', interfaces: [...base, card('red', 'absent')], remove: ['red'] },
  {
    reason: 'a card on the root bus stays',
    interfaces: [{ name: 'default' }, card('blue', 'absent')],
    observed: { present: [at('default'), at('blue')] },
    refused: { blue: /restart the VM/ },
  },
  {
    reason: 'a card on the pod network cannot be plugged',
    interfaces: base,
    observed: { present: [at('blue', 0)] },
    refused: { default: /only cards on networks of Multus/ },
  },
  {
    reason: 'the guest moves',
    interfaces: [card('red'), card('blue', 'absent')],
    observed: { isMoving: true },
    refused: { red: /moved/, blue: /moved/ },
  },
]

suite('decideCards()', () => {
  for (const { reason, interfaces, observed, plug = [], unplug = [], remove = [], refused = {} } of rows)
    test(reason, () => {
      const decision = decideCards({ interfaces, networks }, { ...still, ...observed })
      assert.deepEqual(
        decision.plug,
        plug.map(([name, port]) => ({ name, port })),
      )
      assert.deepEqual([decision.unplug, decision.remove], [unplug, remove])
      assert.deepEqual([...decision.refused.keys()].toSorted(), Object.keys(refused).toSorted())
      for (const [name, message] of Object.entries(refused)) assert.match(decision.refused.get(name) ?? '', message)
    })
})

test('mayChangeCards() is false for a guest whose cards are those that it was started with', () => {
  const launched = [at('default'), at('blue')]
  const cases: readonly (readonly [readonly Interface[], boolean])[] = [
    [base, false],
    [[...base, card('red')], true],
    [[{ name: 'default' }], true],
    [[{ name: 'default' }, card('blue', 'down')], true],
  ]
  for (const [interfaces, expected] of cases) assert.equal(mayChangeCards({ interfaces }, launched), expected)
})
