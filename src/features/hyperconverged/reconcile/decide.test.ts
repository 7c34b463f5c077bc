import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { renderedAnnotation } from '../components/objects/rendered-hash.ts'
import { stateOf, type ComponentState } from '../components/objects/state.ts'
import { decide, type Decision } from './decide.ts'
import type { ComponentObject, Observation, ObservedComponent } from './observe.ts'
import { components } from '../components/rendering/components.ts'

const resource: ResourceType<ComponentObject> = { group: 'g', version: 'v1', kind: 'K', plural: 'ks', namespaced: true }
const nodes = { workloadArchitectures: [], controlPlaneArchitectures: [], defaultArchitecture: undefined, controlPlanes: 0, workers: 1 }

function decided(name: string, more: Partial<ObservedComponent>, spec: object = {}): Decision {
  const component = components.find((one) => one.name === name)
  assert.ok(component)
  const hyperconverged = { metadata: { name: 'h' }, spec }
  const observed: ObservedComponent = { component, resource, isKnown: true, present: undefined, ...more }
  const input = { hyperconverged, nodes, version: 'v1.2.3', namespace: 'kubevirt', environment: {} }
  const [decision] = decide({ hyperconverged, input, components: [observed], importer: undefined } as Observation)
  assert.ok(decision)
  return decision
}

/** The object of a component as the operator has applied it. */
function applied(name: string, spec: object = {}): ComponentObject {
  const { step } = decided(name, {}, spec)
  assert.equal(step.kind, 'apply')
  return step.kind === 'apply' ? (step.object as ComponentObject) : {}
}

const aaqOn = { deployment: { applicationAwareConfig: { enable: true } } }
const leaving = { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } }

test('a step for each state of a component', () => {
  const cdi = applied('cdi')
  const edited = { ...cdi, spec: { ...(cdi.spec as object), uninstallStrategy: 'RemoveWorkloads' } }
  const rows: readonly (readonly [string, Decision, string])[] = [
    ['its kind is not installed', decided('cdi', { resource: undefined }), 'absent'],
    ['its objects are not known', decided('cdi', { isKnown: false }), 'wait'],
    ['it does not exist', decided('cdi', {}), 'apply create'],
    ['it exists, from others', decided('cdi', { present: { metadata: { name: 'x' } } }), 'apply create'],
    ['it is as it should be', decided('cdi', { present: cdi }), 'keep'],
    [
      'it has more fields',
      decided('cdi', { present: { ...cdi, spec: { ...(cdi.spec as object), cloneStrategyOverride: 'copy' } } }),
      'keep',
    ],
    ['HyperConverged has changed', decided('cdi', { present: cdi }, { storage: { scratchSpaceStorageClass: 'fast' } }), 'apply change'],
    ['others have changed it', decided('cdi', { present: edited }), 'apply drift'],
    ['it is being deleted', decided('cdi', { present: leaving }), 'wait'],
    ['it is not wanted', decided('aaq', {}), 'not-wanted'],
    ['it is not wanted, and its kind is not installed', decided('aaq', { resource: undefined }), 'not-wanted'],
    ['it is wanted', decided('aaq', {}, aaqOn), 'apply create'],
    ['it is not wanted any more', decided('aaq', { present: applied('aaq', aaqOn) }), 'remove'],
    ['it is not wanted, and is from others', decided('aaq', { present: { metadata: { name: 'x' } } }), 'not-wanted'],
  ]
  for (const [name, { step }, wanted] of rows) assert.equal(step.kind === 'apply' ? `${step.kind} ${step.cause}` : step.kind, wanted, name)
})

test('the hash tells a change from drift, and the drift names its fields', () => {
  const cdi = applied('cdi')
  assert.match(cdi.metadata?.annotations?.[renderedAnnotation] ?? '', /^[0-9a-f]{16}$/)
  const fields = { 'f:spec': { 'f:uninstallStrategy': {} } }
  const metadata = {
    ...cdi.metadata,
    managedFields: [
      { manager: 'rival', fieldsV1: fields },
      { manager: 'other', fieldsV1: {} },
    ],
  }
  const { step } = decided('cdi', { present: { ...cdi, metadata, spec: { ...(cdi.spec as object), uninstallStrategy: 'x' } } })
  assert.ok(step.kind === 'apply')
  assert.deepEqual([step.drift, step.rivals], [['spec.uninstallStrategy'], ['rival']])
})

test('fields of an object that is applied empty from now on are removed, if the operator has applied them', () => {
  const kubevirt = applied('kubevirt')
  const placement = { nodeSelector: { zone: 'here' }, tolerations: [{ operator: 'Exists' }] }
  const owned = { 'f:spec': { 'f:infra': { 'f:nodePlacement': { 'f:nodeSelector': {} } } } }
  const present = {
    ...kubevirt,
    metadata: {
      ...kubevirt.metadata,
      annotations: { [renderedAnnotation]: 'other' },
      managedFields: [{ manager: 'hyperconverged-operator', operation: 'Apply', fieldsV1: owned }],
    },
    spec: { ...(kubevirt.spec as object), infra: { nodePlacement: placement } },
  }
  const { step } = decided('kubevirt', { present }, { deployment: { nodePlacements: { infra: {} } } })
  assert.ok(step.kind === 'apply')
  assert.deepEqual(step.removed, [['spec', 'infra', 'nodePlacement', 'nodeSelector']])
  const others = { ...present, metadata: { ...present.metadata, managedFields: [] } }
  const { step: cautious } = decided('kubevirt', { present: others }, { deployment: { nodePlacements: { infra: {} } } })
  assert.ok(cautious.kind === 'apply')
  assert.deepEqual(cautious.removed, [])
})

test('the state of a component from its conditions', () => {
  const cdi = applied('cdi')
  const rows: readonly (readonly [available: string, progressing: string, degraded: string, state: ComponentState])[] = [
    ['True', 'False', 'False', 'Ready'],
    ['False', 'True', 'False', 'Progressing'],
    // An update, as KubeVirt reports it.
    ['True', 'True', 'True', 'Progressing'],
    ['True', 'False', 'True', 'Degraded'],
    ['False', 'False', 'True', 'Degraded'],
    ['False', 'True', 'True', 'Degraded'],
    ['False', 'False', 'False', 'NotAvailable'],
    ['Unknown', 'False', 'False', 'NotAvailable'],
  ]
  for (const [available, progressing, degraded, state] of rows) {
    const conditions = Object.entries({ Available: available, Progressing: progressing, Degraded: degraded }).map(([type, status]) => ({
      type,
      status,
    }))
    const decision = decided('cdi', { present: { ...cdi, status: { conditions } } })
    assert.equal(stateOf({ decision }).state, state, `${available} ${progressing} ${degraded}`)
  }
  const behind = { ...cdi, metadata: { ...cdi.metadata, generation: 3 } }
  const conditions = [{ type: 'Available', status: 'True' }]
  const decision = decided('cdi', { present: { ...behind, status: { conditions, observedGeneration: 2 } } })
  assert.equal(stateOf({ decision }).state, 'Progressing')
  assert.equal(stateOf({ decision, error: 'no' }).state, 'Failed')
})
