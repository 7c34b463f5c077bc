import assert from 'node:assert/strict'
import { test } from 'node:test'
import { components } from '../../components/rendering/components.ts'
import { decideTeardown } from './decide.ts'
import type { ManagedObject } from './observe.ts'
import { teardownStatus } from './report.ts'

const resource = { group: 'g', version: 'v1', kind: 'K', plural: 'ks', namespaced: true }
const managed = (text: string): ManagedObject => {
  const [name = '', isGoing] = text.split(' ')
  const component = components.find((one) => one.name === name)
  assert.ok(component, name)
  const deleted = isGoing === undefined ? {} : { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['f'] }
  return { component, resource, object: { metadata: { name, uid: name, ...deleted } } }
}
const all = components.map(({ name }) => name)

test('a step for each state of the teardown', () => {
  const others = all.filter((name) => name !== 'kubevirt' && name !== 'cdi')
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ['all that build upon KubeVirt go first', all, `delete ${others.join(' ')}`],
    ['what is deleted already is not deleted again', ['ssp going', 'aaq', 'kubevirt'], 'delete aaq'],
    ['KubeVirt waits for them', ['ssp going', 'kubevirt', 'cdi'], 'wait'],
    ['then KubeVirt', ['cdi', 'kubevirt'], 'delete kubevirt'],
    ['CDI waits for KubeVirt, also when others have deleted it', ['cdi going', 'kubevirt going'], 'wait'],
    ['CDI that others have deleted changes nothing', ['cdi going', 'kubevirt'], 'delete kubevirt'],
    ['then CDI', ['cdi'], 'delete cdi'],
    ['an adopted object beside another one', ['kubevirt', 'kubevirt going'], 'delete kubevirt'],
    ['nothing is left', [], 'finish'],
  ]
  for (const [name, present, wanted] of rows) {
    const step = decideTeardown(present.map(managed))
    const objects = step.do === 'delete' ? step.objects.map(({ component }) => component.name) : []
    assert.equal([step.do, ...objects].join(' '), wanted, name)
  }
})

test('the status names what is left, and why', () => {
  const now = '2026-01-02T00:00:00Z'
  const status = teardownStatus(
    { metadata: { name: 'h', generation: 3 } } as never,
    { managed: ['ssp going', 'aaq', 'kubevirt'].map(managed), errors: new Map([['AAQ/aaq', 'quotas are in use']]) },
    now,
  )
  assert.deepEqual(
    status.steadyvm?.components?.map(({ name, state, message }) => `${name} ${state}: ${message}`),
    [
      'ssp Deleting: its SSP is being deleted since 2026-01-01T00:00:00Z, held by f',
      'aaq Failed: its AAQ cannot be deleted: quotas are in use',
      'kubevirt Deleting: it is deleted after SSP/ssp, AAQ/aaq',
    ],
  )
  assert.deepEqual(
    status.conditions?.map(({ type, status: state, reason, message }) => [type, state, reason, message].join(' ')),
    ['ReconcileComplete False', 'Available False', 'Progressing True', 'Degraded True', 'Upgradeable False'].map(
      (start) => `${start} DeletionFailed aaq: its AAQ cannot be deleted: quotas are in use`,
    ),
  )
})
