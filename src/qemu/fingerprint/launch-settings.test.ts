import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildArguments } from '../domain/arguments.ts'
import { ticking } from '../guest.fixture.ts'
import { compareLaunches, isVisible, launchSettings } from './launch-settings.ts'

test('launchSettings() prefixes each setting with its device', () => {
  const settings = launchSettings(buildArguments(ticking('/x', { smbios: { system: { manufacturer: 'A, B' }, chassis: {} } })))
  assert.equal(settings['machine: type'], 'pc-q35-7.2')
  assert.equal(settings['device dev-boot: addr'], '0x1')
  assert.equal(settings['smbios 1: manufacturer'], 'A, B')
  assert.equal(settings['blockdev file-boot: filename'], '/x/boot.img')
})

test('compareLaunches() finds no difference between a launch and itself', () => {
  const args = buildArguments(ticking('/x'))
  assert.deepEqual(compareLaunches(args, args), [])
})

test('isVisible() treats unknown settings as visible', () => {
  assert.equal(isVisible('device dev-boot: something-new'), true)
  assert.equal(isVisible('something-new x: y'), true)
  assert.equal(isVisible('device dev-boot: drive'), false)
})
