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

  test('is silent about what the catalogue itself writes', () => {
    for (const object of [...catalogueInstancetypes(), ...cataloguePreferences()]) assert.equal(warnings(object), 0)
  })

  test('is silent about the objects of users, also of the same name in a namespace', () => {
    assert.equal(warnings({ ...labelled, metadata: { name: 'mine' } }), 0)
    assert.equal(warnings({ kind: 'VirtualMachineInstancetype', metadata: { name: 'u1.medium', namespace: 'a' }, spec }), 0)
  })

  test('tells that an edit will be taken back, and an extra removed', () => {
    assert.ok(type !== undefined)
    assert.equal(warnings({ ...type, spec }), 1)
    assert.equal(warnings({ ...type, metadata: { name: type.metadata.name ?? '' } }), 1)
    assert.equal(warnings(labelled), 1)
  })

  test('tells that all of it is removed while the catalogue is switched off', () => {
    assert.ok(type !== undefined)
    assert.equal(warnings(type, off), 1)
    assert.equal(warnings({ ...type, metadata: { name: type.metadata.name ?? '' } }, off), 0)
  })
})
