import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { warnOfRevertedFields } from './warn-of-reverted-fields.ts'

const applied = {
  'f:spec': {
    'f:configuration': {
      'f:migrations': { '.': {}, 'f:progressTimeout': {} },
      'f:developerConfiguration': { 'f:featureGates': { '.': {}, 'v:"Snapshot"': {} } },
    },
    'f:imagePullSecrets': { 'k:{"name":"a"}': { 'f:name': {} } },
  },
  'f:metadata': { 'f:labels': { 'f:app': {} } },
}

function kubevirt(spec: object, manager = 'hyperconverged-operator', operation: 'Apply' | 'Update' = 'Apply'): KubeVirt {
  const managedFields = [{ manager, operation, apiVersion: 'kubevirt.io/v1', fieldsType: 'FieldsV1', fieldsV1: applied }]
  return { metadata: { namespace: 'kubevirt', name: 'kubevirt', managedFields, labels: {} }, spec } as unknown as KubeVirt
}

const before = {
  configuration: { migrations: { progressTimeout: 150, network: 'a' }, developerConfiguration: { featureGates: ['Snapshot'] } },
  imagePullSecrets: [{ name: 'a' }],
}
const changed = (migrations: object): object => ({ ...before, configuration: { ...before.configuration, migrations } })
const rows: readonly (readonly [name: string, spec: object, fields: string | undefined])[] = [
  ['nothing changes', before, undefined],
  ['a field that the operator applies', changed({ progressTimeout: 1, network: 'a' }), 'spec.configuration.migrations.progressTimeout'],
  ['such a field is removed with what contains it', changed({}), 'spec.configuration.migrations.progressTimeout'],
  ['a field beside it', changed({ progressTimeout: 150, network: 'b' }), undefined],
  [
    'lists count as a whole',
    { configuration: { ...before.configuration, developerConfiguration: { featureGates: [] } } },
    'spec.imagePullSecrets, spec.configuration.developerConfiguration.featureGates',
  ],
]

test('changes of what HyperConverged applies are named', () => {
  for (const [name, spec, fields] of rows) {
    const warnings = warnOfRevertedFields(kubevirt(spec), kubevirt(before), 'jane')
    assert.equal(warnings[0]?.split(': ')[0]?.split(', ').toSorted().join(', '), fields?.split(', ').toSorted().join(', '), name)
    assert.equal(warnings.length, fields === undefined ? 0 : 1, name)
  }
})

test('the operator itself, new objects and other managers get no warning', () => {
  const next = kubevirt(changed({ progressTimeout: 1 }))
  assert.deepEqual(warnOfRevertedFields(next, kubevirt(before), 'system:serviceaccount:kubevirt:hyperconverged-operator'), [])
  assert.deepEqual(warnOfRevertedFields(next, undefined, 'jane'), [])
  assert.deepEqual(warnOfRevertedFields(next, kubevirt(before, 'helm'), 'jane'), [])
  assert.deepEqual(warnOfRevertedFields(next, kubevirt(before, 'hyperconverged-operator', 'Update'), 'jane'), [])
})
