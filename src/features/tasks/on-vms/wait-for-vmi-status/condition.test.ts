import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TaskFailed } from '../../exit-codes.ts'
import { compileCondition } from './condition.ts'

const vmi = {
  metadata: { labels: { app: 'web' } },
  status: {
    phase: 'Running',
    runtimeUser: 107,
    launcherContainerImageVersion: '',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Paused', status: 'False' },
    ],
    interfaces: [{ name: 'default', ipAddress: '10.0.0.1' }],
  },
}

suite('compileCondition()', () => {
  for (const [condition, isMet] of [
    ['status.phase == Running', true],
    ['status.phase=Succeeded', false],
    ['status.phase in (Succeeded, Running)', true],
    ['status.phase notin (Failed)', true],
    ['status.phase != Running', false],
    ['status.absent != x', true],
    ['status.absent', false],
    ['!status.absent', true],
    ['status.launcherContainerImageVersion', true],
    ['status.launcherContainerImageVersion =', true],
    ['status.runtimeUser > 100', true],
    ['status.runtimeUser == 107, status.phase == Running', true],
    ['status.runtimeUser == 107, status.phase == Failed', false],
    ['metadata.labels.app == web', true],
    ['{.status.conditions[?(@.type=="Ready")].status} == True', true],
    ['{.status.conditions[?(@.type=="Paused")].status} == True', false],
    ['{.status.conditions[?(@.type=="a}b")].status}', false],
    ['{.status.interfaces[0].ipAddress} in (10.0.0.1)', true],
    ['!{.status.interfaces[1].ipAddress},{status.phase}=Running', true],
  ] as const)
    test(`${condition} is ${isMet}`, () => assert.equal(compileCondition('successCondition', condition)(vmi), isMet))

  for (const condition of ['status.phase ==== x', 'in (', '{.status', 'status.interfaces[0].name == a', '{.a[} == b', 'a == (b'])
    test(`refuses ${condition}`, () => assert.throws(() => compileCondition('successCondition', condition), TaskFailed))
})
