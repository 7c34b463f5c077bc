import { managedByLabel, manager } from '#api/access/managed.ts'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { warnOfCatalogue } from './index.ts'
import { catalogueInstancetypes } from './instancetypes.ts'
import { cataloguePreferences } from './preferences.ts'

const [type] = catalogueInstancetypes()
const on = { commonInstancetypes: true }
const off = { commonInstancetypes: false }
const spec = { cpu: { guest: 7 }, memory: { guest: '7Gi' } }
const labelled = { kind: 'VirtualMachineClusterInstancetype', metadata: { name: 'u1.extra', labels: { [managedByLabel]: manager } }, spec }

suite('warnOfCatalogue()', () => {
  const warnings = (object: Parameters<typeof warnOfCatalogue>[0], config = on): number => warnOfCatalogue(object, config).length

  test('does not warn about writes of the catalogue itself', () => {
    for (const object of [...catalogueInstancetypes(), ...cataloguePreferences()]) assert.equal(warnings(object), 0)
  })

  test('does not warn about objects of users, also with the same name in a namespace', () => {
    assert.equal(warnings({ ...labelled, metadata: { name: 'mine' } }), 0)
    assert.equal(warnings({ kind: 'VirtualMachineInstancetype', metadata: { name: 'u1.medium', namespace: 'a' }, spec }), 0)
  })

  test('warns that an edit will be reverted, and an additional object removed', () => {
    assert.ok(type !== undefined)
    assert.equal(warnings({ ...type, spec }), 1)
    assert.equal(warnings({ ...type, metadata: { name: type.metadata.name ?? '' } }), 1)
    assert.equal(warnings(labelled), 1)
  })

  test('warns that all objects are removed while the catalogue is disabled', () => {
    assert.ok(type !== undefined)
    assert.equal(warnings(type, off), 1)
    assert.equal(warnings({ ...type, metadata: { name: type.metadata.name ?? '' } }, off), 0)
  })
})
