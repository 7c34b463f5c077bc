import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { candidatesOf, chooseTarget, parseHardwareKind, parseSwitch, parseTarget, parseVmKey } from './targets.ts'

const web = { namespace: 'ns', name: 'web' }

suite('parseVmKey()', () => {
  for (const word of [
    'web',
    'vm/web',
    'vms/web',
    'VirtualMachine/web',
    'virtualmachines.kubevirt.io/web',
    'virtualmachine.kubevirt.io/web',
    'vmi/web',
    'virtualmachineinstance/web',
  ]) {
    test(`reads ${word} as VM "web"`, () => assert.deepEqual(parseVmKey(word, 'ns'), web))
  }
  test('reads the namespace of NAMESPACE/NAME', () => assert.deepEqual(parseVmKey('other/web', 'ns'), { namespace: 'other', name: 'web' }))
  for (const word of ['', 'vm/', '/web', 'a/b/c'])
    test(`refuses "${word}"`, () => assert.throws(() => parseVmKey(word, 'ns'), CommandError))
})

suite('parseHardwareKind()', () => {
  const rows = [
    ['vmf', 'VirtualMachineInstancetype'],
    ['vmcf', 'VirtualMachineClusterInstancetype'],
    ['VMPrefs', 'VirtualMachinePreference'],
    ['virtualmachineclusterpreferences.instancetype.kubevirt.io', 'VirtualMachineClusterPreference'],
    ['preference', undefined],
  ] as const
  for (const [word, kind] of rows) test(`maps ${word} to its kind`, () => assert.equal(parseHardwareKind(word)?.kind, kind))
  test('returns undefined for other resources', () => assert.equal(parseHardwareKind('pod'), undefined))
})

suite('parseSwitch()', () => {
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

suite('parseTarget()', () => {
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

suite('chooseTarget()', () => {
  const [vm, instancetype, clusterInstancetype] = candidatesOf('small', 'ns')
  assert.ok(vm !== undefined && instancetype !== undefined && clusterInstancetype !== undefined)
  test('chooses the only object of that name', () => assert.deepEqual(chooseTarget('small', 'ns', [instancetype]), instancetype))
  test('lists the candidates when there are several', () => {
    assert.throws(() => chooseTarget('small', 'ns', [vm, clusterInstancetype]), /write vm\/small or vmcf\/small/)
  })
  test('names the namespace when there is none', () => assert.throws(() => chooseTarget('small', 'ns', []), /"small" in namespace "ns"/))
})
