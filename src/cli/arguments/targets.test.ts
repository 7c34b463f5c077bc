import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { parseHardwareKind, parseSwitch, parseTarget, parseVmKey } from './targets.ts'

const web = { namespace: 'ns', name: 'web' }

suite('vmKeyOf()', () => {
  for (const word of [
    'web',
    'vm/web',
    'vms/web',
    'VirtualMachine/web',
    'virtualmachines.kubevirt.io/web',
    'virtualmachine.kubevirt.io/web',
  ]) {
    test(`finds a VM in ${word}`, () => assert.deepEqual(parseVmKey(word, 'ns'), web))
  }
  test('takes the namespace from the word', () => assert.deepEqual(parseVmKey('other/web', 'ns'), { namespace: 'other', name: 'web' }))
  for (const word of ['', 'vm/', '/web', 'a/b/c'])
    test(`refuses "${word}"`, () => assert.throws(() => parseVmKey(word, 'ns'), CommandError))
})

suite('hardwareKindOf()', () => {
  const rows = [
    ['vmf', 'VirtualMachineInstancetype'],
    ['vmcf', 'VirtualMachineClusterInstancetype'],
    ['VMPrefs', 'VirtualMachinePreference'],
    ['virtualmachineclusterpreferences.instancetype.kubevirt.io', 'VirtualMachineClusterPreference'],
    ['preference', undefined],
  ] as const
  for (const [word, kind] of rows) test(`knows ${word}`, () => assert.equal(parseHardwareKind(word)?.kind, kind))
  test('knows no pods', () => assert.equal(parseHardwareKind('pod'), undefined))
})

suite('switchOf()', () => {
  const rows = [
    ['web=large', { family: 'instancetype', name: 'large' }],
    ['vm/web=vmf/large', { family: 'instancetype', kind: 'VirtualMachineInstancetype', name: 'large' }],
    ['web=preference/linux', { family: 'preference', name: 'linux' }],
  ] as const
  for (const [text, to] of rows) test(`reads ${text}`, () => assert.deepEqual(parseSwitch(text, 'ns'), { vm: web, to }))
  for (const text of ['web', '=large', 'web=', 'web=pod/large', 'web=vmf/']) {
    test(`refuses ${text}`, () => assert.throws(() => parseSwitch(text, 'ns'), CommandError))
  }
})

suite('targetOf()', () => {
  const rows = [
    ['vmcf/u1.small', { kind: 'VirtualMachineClusterInstancetype', name: 'u1.small' }],
    ['vmf/small', { kind: 'VirtualMachineInstancetype', name: 'small', namespace: 'ns' }],
    ['instancetype/small', { kind: 'VirtualMachineClusterInstancetype', name: 'small' }],
    ['vm/web', { kind: 'VirtualMachine', ...web }],
  ] as const
  for (const [text, target] of rows) test(`reads ${text}`, () => assert.deepEqual(parseTarget(text, 'ns'), target))
  for (const text of ['web', 'pod/web', 'vmf/', 'vmf/a/b'])
    test(`refuses ${text}`, () => assert.throws(() => parseTarget(text, 'ns'), CommandError))
})
