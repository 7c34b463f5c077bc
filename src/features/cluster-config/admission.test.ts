import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { validateKubeVirt } from './index.ts'

const of = (configuration: object): KubeVirt => ({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: { configuration } })
const fields = (now: object, old?: object): (string | undefined)[] =>
  validateKubeVirt(of(now), old === undefined ? undefined : of(old)).map(({ field }) => field)

suite('validateKubeVirt()', () => {
  const bad = { evictionStrategy: 'Maybe' }

  test('takes what can be acted on, and settings that are not read here', () => {
    assert.deepEqual(fields({ evictionStrategy: 'LiveMigrate', migrations: { parallelMigrationsPerCluster: 3 } }), [])
  })

  test('refuses each setting that cannot, with its path', () => {
    assert.deepEqual(fields({ ...bad, cpuRequest: 'much' }), ['spec.configuration.cpuRequest', 'spec.configuration.evictionStrategy'])
  })

  test('lets an object with an old mistake be changed, but not to another mistake', () => {
    assert.deepEqual(fields({ ...bad, cpuModel: 'Haswell' }, bad), [])
    assert.deepEqual(fields({ evictionStrategy: 'Perhaps' }, bad), ['spec.configuration.evictionStrategy'])
    assert.deepEqual(fields({ ...bad, cpuRequest: 'much' }, bad), ['spec.configuration.cpuRequest'])
  })
})
