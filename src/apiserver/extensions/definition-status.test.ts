import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { requiredValue } from '#apimachinery/field-messages.ts'
import { definitionStatus } from './definition-status.ts'

const crd: CustomResourceDefinition = {
  metadata: { name: 'tabs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'tabs', kind: 'Tab' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
}
const nothingTaken = { resources: new Set<string>(), kinds: new Set<string>() }
const now = '2026-11-21T10:00:00Z'

test('a schema that violates a newer rule sets NonStructuralSchema until it is corrected', () => {
  const fault = requiredValue('spec.versions[0].schema.openAPIV3Schema.type', 'must not be empty at the root')
  const broken = definitionStatus(crd, nothingTaken, now, [fault])
  assert.deepEqual(findCondition(broken.conditions, 'NonStructuralSchema'), {
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message: 'spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
    lastTransitionTime: now,
  })
  const kept = definitionStatus({ ...crd, status: broken }, nothingTaken, now)
  assert.notEqual(findCondition(kept.conditions, 'NonStructuralSchema'), undefined, 'nobody looked')
  const mended = definitionStatus({ ...crd, status: broken }, nothingTaken, now, [])
  assert.equal(findCondition(mended.conditions, 'NonStructuralSchema'), undefined)
})

test('an up-to-date status is not written again', () => {
  const status = definitionStatus(crd, nothingTaken, now)
  assert.deepEqual(definitionStatus({ ...crd, status }, nothingTaken, '2027-01-01T00:00:00Z'), status)
})

test('an established definition stays established under its names after a conflict', () => {
  const status = definitionStatus(crd, nothingTaken, now)
  const renamed = { ...crd, status, spec: { ...crd.spec, names: { ...crd.spec.names, singular: 'other' } } }
  const next = definitionStatus(renamed, { ...nothingTaken, resources: new Set(['other']) }, now)
  assert.deepEqual(next.acceptedNames, { plural: 'tabs', kind: 'Tab' })
  assert.deepEqual(
    next.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason ?? ''}`),
    ['NamesAccepted False SingularConflict', 'Established True InitialNamesAccepted'],
  )
})
