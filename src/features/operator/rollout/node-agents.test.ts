import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { decideNodeAgents, type NodeAgentsObservation } from './node-agents.ts'
import type { ComponentPod } from './component-pod.ts'

const now = 1_000_000
const soakMs = 10_000

function pod(node: string, more: Partial<ComponentPod> = {}): ComponentPod {
  const name = `virt-handler-${node}`
  return {
    name,
    uid: name,
    node,
    isCurrent: false,
    isReady: true,
    readySince: 0,
    madeAt: now - 20_000,
    crash: undefined,
    waitsFor: undefined,
    isLeaving: false,
    ...more,
  }
}

const nodes = (...names: string[]): NodeAgentsObservation['nodes'] => names.map((name) => ({ name, isReady: true }))
const fresh = { isCurrent: true } as const
const starting = { isCurrent: true, isReady: false, readySince: undefined, madeAt: now - 1 } as const
const deadlineMs = 30_000
const many = Array.from({ length: 30 }, (_, index) => `n${String(index).padStart(2, '0')}`)

interface Row {
  readonly when: string
  readonly nodes: NodeAgentsObservation['nodes']
  readonly pods: readonly ComponentPod[]
  readonly state: string
  readonly remove?: readonly string[]
  readonly skipped?: readonly string[]
}

const rows: readonly Row[] = [
  { when: 'all are old', nodes: nodes('a', 'b', 'c'), pods: [pod('a'), pod('b'), pod('c')], state: 'canary', remove: ['a'] },
  {
    when: 'the first one is on its way out',
    nodes: nodes('a', 'b'),
    pods: [pod('a', { isLeaving: true, isReady: false, readySince: undefined }), pod('b')],
    state: 'canary',
    remove: [],
  },
  { when: 'the first one starts', nodes: nodes('a', 'b'), pods: [pod('a', starting), pod('b')], state: 'canary' },
  {
    when: 'the first one has just become ready',
    nodes: nodes('a', 'b'),
    pods: [pod('a', { ...fresh, readySince: now - 1 }), pod('b')],
    state: 'canary',
  },
  {
    when: 'the first one has proved itself',
    nodes: nodes('a', 'b', 'c'),
    pods: [pod('a', fresh), pod('b'), pod('c')],
    state: 'rolling',
    remove: ['b'],
  },
  {
    when: 'a later one is not ready in time',
    nodes: nodes('a', 'b', 'c'),
    pods: [pod('a', fresh), pod('b', { ...starting, madeAt: now - deadlineMs }), pod('c')],
    state: 'failed',
  },
  {
    when: 'a later one was well, and has just been killed',
    nodes: nodes('a', 'b', 'c'),
    pods: [pod('a', fresh), pod('b', { ...starting, crash: 'ended', madeAt: 0, notReadySince: now - 1 }), pod('c')],
    state: 'rolling',
  },
  {
    when: 'a later one was well, and does not come back',
    nodes: nodes('a', 'b', 'c'),
    pods: [pod('a', fresh), pod('b', { ...starting, crash: 'ended', madeAt: 0, notReadySince: now - deadlineMs }), pod('c')],
    state: 'failed',
  },
  {
    when: 'one of many is not ready in time',
    nodes: nodes(...many),
    pods: many.map((name) => pod(name, name === 'n00' ? { ...starting, madeAt: now - deadlineMs } : name < 'n20' ? fresh : {})),
    state: 'rolling',
    remove: ['n20', 'n21'],
  },
  {
    when: 'as many are not ready in time as may be missing',
    nodes: nodes(...many),
    pods: many.map((name) => pod(name, name < 'n03' ? { ...starting, madeAt: now - deadlineMs } : name < 'n20' ? fresh : {})),
    state: 'failed',
  },
  { when: 'another one starts', nodes: nodes('a', 'b', 'c'), pods: [pod('a', fresh), pod('b', starting), pod('c')], state: 'rolling' },
  {
    when: 'the node of the first one is lost',
    nodes: [{ name: 'a', isReady: false }, ...nodes('b')],
    pods: [pod('a', { ...starting, hasStarted: true }), pod('b')],
    state: 'canary',
    remove: [],
  },
  {
    when: 'the node of the first one stays lost',
    nodes: [{ name: 'a', isReady: false }, ...nodes('b')],
    pods: [pod('a', { ...starting, hasStarted: true, madeAt: now - deadlineMs }), pod('b')],
    state: 'failed',
  },
  {
    when: 'a node that was lost before has one that nobody could start',
    nodes: [{ name: 'a', isReady: false }, ...nodes('b')],
    pods: [pod('a', { ...starting, madeAt: now - deadlineMs }), pod('b')],
    state: 'canary',
    remove: ['b'],
  },
  {
    when: 'the first one crashes',
    nodes: nodes('a', 'b'),
    pods: [pod('a', { ...starting, crash: 'exit code 1' }), pod('b')],
    state: 'failed',
  },
  {
    when: 'the first one is not ready in time',
    nodes: nodes('a', 'b'),
    pods: [pod('a', { ...starting, madeAt: now - deadlineMs }), pod('b')],
    state: 'failed',
  },
  {
    when: 'a failed one is in the way of those that are wanted again',
    nodes: nodes('a', 'b', 'c'),
    pods: [pod('a', { isReady: false, readySince: undefined, crash: 'exit code 1' }), pod('b', fresh), pod('c', fresh)],
    state: 'rolling',
    remove: ['a'],
  },
  {
    when: 'one crashes after the first one has proved itself',
    nodes: nodes('a', 'b', 'c'),
    pods: [pod('a', fresh), pod('b', { ...starting, crash: 'exit code 1' }), pod('c')],
    state: 'rolling',
  },
  {
    when: 'a node is not ready',
    nodes: [...nodes('a'), { name: 'b', isReady: false }],
    pods: [pod('a', fresh), pod('b', { isReady: false, readySince: undefined })],
    state: 'done',
    skipped: ['b'],
  },
  { when: 'that node is back', nodes: nodes('a', 'b'), pods: [pod('a', fresh), pod('b')], state: 'rolling', remove: ['b'] },
  {
    when: 'an old one is not well',
    nodes: nodes('a', 'b'),
    pods: [pod('a'), pod('b', { isReady: false, readySince: undefined })],
    state: 'canary',
    remove: ['b'],
  },
  { when: 'all are new', nodes: nodes('a', 'b'), pods: [pod('a', fresh), pod('b', fresh)], state: 'done' },
  { when: 'there is none yet', nodes: nodes('a'), pods: [], state: 'canary' },
]

suite('decideAgents()', () => {
  for (const { when, state, remove = [], skipped = [], ...observed } of rows) {
    test(`returns ${state} and replaces ${remove.length} when ${when}`, () => {
      const decision = decideNodeAgents({ ...observed, soakMs, deadlineMs }, now)
      assert.equal(decision.state, state)
      assert.deepEqual(
        decision.remove.map(({ node }) => node),
        remove,
      )
      assert.deepEqual(decision.skipped, skipped)
    })
  }

  test('reports the wait reason of a canary that is not ready in time', () => {
    const waitsFor = 'Cannot find image "virt-handler:v9"'
    const pods = [pod('a', { ...starting, madeAt: 0, waitsFor }), pod('b')]
    const { problem } = decideNodeAgents({ nodes: nodes('a', 'b'), pods, soakMs, deadlineMs }, now)
    assert.match(problem ?? '', /on node a .*Cannot find image "virt-handler:v9"/)
  })

  test('reports the exit code of a late agent that has restarted only once', () => {
    const late = pod('a', { ...starting, madeAt: 0, lastEnd: 'ended with exit code 1: no such flag', waitsFor: 'CrashLoopBackOff' })
    const { problem } = decideNodeAgents({ nodes: nodes('a', 'b'), pods: [late, pod('b')], soakMs, deadlineMs }, now)
    assert.match(problem ?? '', /on node a is not ready after 30 s: ended with exit code 1: no such flag$/)
  })

  test('names the unready agent, and checks again at the next deadline', () => {
    const late = pod('n00', { ...starting, madeAt: now - deadlineMs, waitsFor: 'no room' })
    const pods = many.map((name) => (name === 'n00' ? late : pod(name, name === 'n01' ? starting : fresh)))
    const { problem, recheckAfterMs } = decideNodeAgents({ nodes: nodes(...many), pods, soakMs, deadlineMs }, now)
    assert.match(problem ?? '', /on node n00 is not ready after 30 s: no room/)
    assert.equal(recheckAfterMs, deadlineMs - 1)
  })

  const state = fc.record({
    isCurrent: fc.boolean(),
    isReady: fc.boolean(),
    isLeaving: fc.boolean(),
    nodeReady: fc.boolean(),
    age: fc.nat(20_000),
  })
  test('never removes more agents than may be unavailable', () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 60 }), (states) => {
        const all = states.map(({ nodeReady }, index) => ({ name: `n${index}`, isReady: nodeReady }))
        const pods = states.map(({ isCurrent, isReady, isLeaving, age }, index) =>
          pod(`n${index}`, { isCurrent, isReady, isLeaving, readySince: isReady ? now - age : undefined }),
        )
        const { remove } = decideNodeAgents({ nodes: all, pods, soakMs, deadlineMs }, now)
        const usable = all.filter(({ isReady }) => isReady).length
        const healthyRemoved = remove.filter(({ isReady }) => isReady).length
        assert.ok(healthyRemoved <= Math.max(1, Math.floor(usable / 10)))
        for (const { isCurrent, node } of remove) assert.ok(!isCurrent && all.some(({ name, isReady }) => name === node && isReady))
      }),
    )
  })
})
