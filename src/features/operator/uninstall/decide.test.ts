import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Node } from '#api/core/v1/node.ts'
import { secrets } from '#api/core/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { hashAnnotation } from '../install/crds.ts'
import { decideUninstall, type DefinitionState, type Piece, type UninstallObservation } from './decide.ts'
import { marksOf } from './node-marks.ts'
import { definitionsToRemove } from './observe.ts'

const piece = (name: string, metadata: object = {}): Piece => ({
  resource: secrets as ResourceType<KubeObject>,
  object: { metadata: { name, ...metadata } },
})
const kind = (name: string, state: '' | 'held' | 'deleting' | 'empty' | 'held deleting' | 'held empty'): DefinitionState => ({
  resource: customResourceDefinitions as ResourceType<KubeObject>,
  object: { metadata: { name } },
  name,
  isHeld: state.includes('held'),
  isDeleting: state.includes('deleting') || state.includes('empty'),
  isEmpty: state.includes('empty'),
})
const layer = (name: string, pieces: readonly Piece[], ...pods: string[]): UninstallObservation['layers'][number] => ({
  name,
  pieces,
  pods,
})
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const nothing: UninstallObservation = { definitions: [], webhooks: [], isAdmissionDead: false, layers: [], nodes: [] }

suite('decideUninstall()', () => {
  const webhooks = [piece('validator')]
  const rows: readonly (readonly [string, Partial<UninstallObservation>, string])[] = [
    [
      'adds finalizers to all CRDs before it deletes one',
      { definitions: [kind('a', ''), kind('b', 'held'), kind('c', 'deleting')] },
      'hold a',
    ],
    ['deletes all CRDs at once', { definitions: [kind('a', 'held'), kind('b', 'held'), kind('c', 'held deleting')] }, 'delete a b'],
    [
      'keeps every CRD while one has objects',
      { definitions: [kind('a', 'held empty'), kind('b', 'held deleting')], layers: [layer('x', [piece('x')])] },
      'wait Waits for the last objects of b',
    ],
    ['keeps webhooks that answer', { definitions: [kind('a', 'held deleting')], webhooks }, 'wait Waits for the last objects of a'],
    [
      'removes dead webhooks that block the last objects',
      { definitions: [kind('a', 'held deleting')], webhooks, isAdmissionDead: true },
      'delete validator',
    ],
    [
      'waits after their removal',
      { definitions: [kind('a', 'held deleting')], isAdmissionDead: true },
      'wait Waits for the last objects of a',
    ],
    ['removes the finalizers of all CRDs together', { definitions: [kind('a', 'held empty'), kind('b', 'held empty')] }, 'release a b'],
    ['continues after an interruption', { definitions: [kind('b', 'held empty')], layers: [layer('x', [piece('x')])] }, 'release b'],
    ['starts over with a recreated CRD', { definitions: [kind('a', 'held empty'), kind('b', '')] }, 'hold b'],
    ['removes one layer after the other', { layers: [layer('one', [piece('x')]), layer('two', [piece('y')])] }, 'delete x'],
    [
      'deletes once an object that is removed slowly',
      { layers: [layer('one', [piece('x', going), piece('z')]), layer('two', [piece('y')])] },
      'delete z',
    ],
    [
      'waits for an object that is removed slowly',
      { layers: [layer('one', [piece('x', going)]), layer('two', [piece('y')])] },
      'wait Waits for the end of x',
    ],
    ['waits for pods', { layers: [layer('one', [], 'q', 'p'), layer('two', [piece('y')])] }, 'wait Waits for the end of p, q'],
    ['cleans up nodes last', { layers: [layer('one', [])], nodes: [{ metadata: { name: 'n' } } as Node] }, 'strip n'],
    ['completes when nothing is left', { layers: [layer('one', [])] }, 'finish'],
  ]
  for (const [name, observed, wanted] of rows) {
    test(name, () => {
      const step = decideUninstall({ ...nothing, ...observed })
      const objects = 'pieces' in step ? step.pieces.map(({ object }) => object) : 'nodes' in step ? step.nodes : []
      const about = step.do === 'wait' ? [step.message] : objects.map(({ metadata }) => metadata?.name)
      assert.equal([step.do, ...about].join(' '), wanted)
    })
  }

  test('names some of the remaining objects, and counts the rest', () => {
    const definitions = ['g', 'f', 'e', 'd', 'c', 'b', 'a'].map((name) => kind(name, 'deleting'))
    assert.equal(decideUninstall({ ...nothing, definitions }).message, 'Waits for the last objects of a, b, c, d, e and 2 more')
  })
})

suite('definitionsToRemove()', () => {
  const definition = (name: string, more: object = {}, conditions: readonly object[] = []): CustomResourceDefinition => {
    const annotations = { [hashAnnotation]: 'h/1' }
    return {
      metadata: { name, annotations, ...more },
      spec: { group: name.slice(name.indexOf('.') + 1) },
      status: { conditions },
    } as unknown as CustomResourceDefinition
  }
  const cleanup = 'customresourcecleanup.apiextensions.k8s.io'
  const held = 'kubevirt.io/virtOperatorFinalizer'
  const told = [{ type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted' }]
  const rows: readonly (readonly [string, CustomResourceDefinition, string | undefined])[] = [
    ['is ours', definition('vms.kubevirt.io'), ''],
    ['is the CRD of KubeVirt objects', definition('kubevirts.kubevirt.io'), undefined],
    ['is for disks of users', definition('datavolumes.cdi.kubevirt.io'), undefined],
    ['is for snapshots of users', definition('volumesnapshots.snapshot.storage.k8s.io'), undefined],
    ['belongs to another owner', definition('vms.kubevirt.io', { annotations: {} }), undefined],
    ['is held', definition('vms.kubevirt.io', { finalizers: [held] }), 'held'],
    ['has objects', definition('vms.kubevirt.io', { ...going, finalizers: [held, cleanup] }), 'held deleting'],
    ['has no finalizer any more', definition('vms.kubevirt.io', { ...going, finalizers: [held, cleanup] }, told), 'held deleting empty'],
    ['was never served', definition('vms.kubevirt.io', { ...going, finalizers: [held] }), 'held deleting empty'],
    ['has foreign finalizers only', definition('vms.kubevirt.io', { ...going, finalizers: ['other/one'] }, told), undefined],
  ]
  for (const [name, given, wanted] of rows) {
    test(`a definition that ${name}`, () => {
      const [found] = definitionsToRemove([given])
      const state = found && [found.isHeld && 'held', found.isDeleting && 'deleting', found.isEmpty && 'empty'].filter(Boolean).join(' ')
      assert.equal(state, wanted)
    })
  }
})

test('marksOf() returns only labels and annotations that the system has set on a node', () => {
  const labels = {
    'kubevirt.io/schedulable': 'true',
    'cpu-model.node.kubevirt.io/Penryn': 'true',
    'steadyvm.io/launcher-release': 'x',
    'kubernetes.io/hostname': 'n',
    'example.com/kubevirt.io': 'mine',
  }
  const annotations = { 'kubevirt.io/heartbeat': 'now', 'steadyvm.io/agent': '{}', 'steadyvm.io/launcher-image': 'i', mine: 'too' }
  assert.deepEqual(marksOf({ metadata: { name: 'n', labels, annotations } } as unknown as Node), {
    metadata: {
      labels: { 'kubevirt.io/schedulable': null, 'cpu-model.node.kubevirt.io/Penryn': null, 'steadyvm.io/launcher-release': null },
      annotations: { 'kubevirt.io/heartbeat': null, 'steadyvm.io/agent': null, 'steadyvm.io/launcher-image': null },
    },
  })
  assert.equal(marksOf({ metadata: { name: 'n', labels: { mine: 'too' } } } as unknown as Node), undefined)
})
