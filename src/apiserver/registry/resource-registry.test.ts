import { test } from 'node:test'
import assert from 'node:assert/strict'
import { createResourceRegistry } from './resource-registry.ts'
import { defineResource } from './define-resource.ts'

const widgets = defineResource({ group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true })

test('createResourceRegistry() finds definitions by plural and kind', () => {
  const registry = createResourceRegistry([widgets])
  assert.equal(registry.find('example.com', 'v1', 'widgets'), widgets)
  assert.equal(registry.findByKind('example.com', 'v1', 'Widget'), widgets)
  assert.equal(registry.find('example.com', 'v2', 'widgets'), undefined)
})

test('generation increments with each change, and not for a missing definition', () => {
  const registry = createResourceRegistry()
  registry.add(widgets)
  const added = registry.generation
  registry.remove('example.com', 'v1', 'gadgets')
  assert.equal(registry.generation, added)
  registry.remove('example.com', 'v1', 'widgets')
  assert.equal(registry.generation, added + 1)
  assert.deepEqual(registry.all(), [])
  assert.equal(registry.findByKind('example.com', 'v1', 'Widget'), undefined)
})
