import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ValidatingAdmissionPolicySpec, Validation } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { checkedKinds } from './checked-kinds.ts'
import { typeCheckPolicy } from './type-check.ts'

const crontabs = defineResource({
  group: 'stable.example.com',
  version: 'v1',
  kind: 'CronTab',
  plural: 'crontabs',
  namespaced: true,
  custom: true,
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { cronSpec: { type: 'string' }, replicas: { type: 'integer' } } } },
  },
})
const served = [...builtinDefinitions(), crontabs]

type Rule = readonly [groups: string[], versions: string[], resources: string[]]
const deployments: Rule = [['apps'], ['v1'], ['deployments']]
const tabs: Rule = [['stable.example.com'], ['v1'], ['crontabs']]

function policy(rules: readonly Rule[], validations: Validation[], more: Partial<ValidatingAdmissionPolicySpec> = {}) {
  const resourceRules = rules.map(([apiGroups, apiVersions, resources]) => ({ apiGroups, apiVersions, resources, operations: ['*'] }))
  return { matchConstraints: { resourceRules }, validations, ...more }
}

suite('typeCheckPolicy()', () => {
  const quiet: readonly [name: string, rules: Rule[], validation: Validation, more?: Partial<ValidatingAdmissionPolicySpec>][] = [
    ['declared fields', [deployments], { expression: 'object.spec.replicas > 1' }],
    [
      'labels and times of the metadata',
      [tabs],
      { expression: "object.metadata.labels['a'] == 'b' && oldObject.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')" },
    ],
    ['an object that may be null', [deployments], { expression: 'oldObject == null || oldObject.spec.replicas <= object.spec.replicas' }],
    [
      'wildcards',
      [
        [['apps'], ['v1'], ['*']],
        [['*'], ['v1'], ['deployments']],
      ],
      { expression: 'object.foo' },
    ],
    ['subresources', [[['apps'], ['v1'], ['deployments/scale']]], { expression: 'object.foo == 1' }],
    ['a kind that is not served', [[['nowhere.org'], ['v1'], ['things']]], { expression: 'object.foo == 1' }],
    [
      'parameters of an unknown kind',
      [deployments],
      { expression: 'params.most > 1' },
      { paramKind: { apiVersion: 'a.org/v1', kind: 'B' } },
    ],
    ['variables', [deployments], { expression: 'variables.n > 1' }, { variables: [{ name: 'n', expression: 'object.spec.replicas' }] }],
  ]
  for (const [name, rules, validation, more] of quiet) {
    test(`has no warnings for ${name}`, () => assert.deepEqual(typeCheckPolicy(policy(rules, [validation], more), served), []))
  }

  test('warns of each expression with the kinds and the place', () => {
    const warnings = typeCheckPolicy(
      policy(
        [tabs, deployments],
        [
          { expression: 'object.spec.replicas > 1' },
          { expression: "object.spec.replicas > '1'", messageExpression: "object.spec.nothing + '!'" },
        ],
      ),
      served,
    )
    assert.deepEqual(
      warnings.map(({ fieldRef }) => fieldRef),
      ['spec.validations[1].expression', 'spec.validations[1].messageExpression'],
    )
    const [mismatch, missing] = warnings
    const overload = "ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'"
    const place = " | object.spec.replicas > '1'\n | .....................^"
    assert.equal(
      mismatch?.warning,
      `apps/v1, Kind=Deployment: compilation failed: ${overload}\n${place}\n\nstable.example.com/v1, Kind=CronTab: compilation failed: ${overload}\n${place}\n`,
    )
    assert.match(
      missing?.warning ?? '',
      /stable\.example\.com\/v1, Kind=CronTab: compilation failed: ERROR: <input>:1:12: undefined field 'nothing'/,
    )
  })

  test('warns of variables and parameters of the wrong type', () => {
    const params = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
    const fields = (validation: Validation, more: Partial<ValidatingAdmissionPolicySpec>): string[] =>
      typeCheckPolicy(policy([deployments], [validation], more), served).map(({ fieldRef }) => fieldRef)
    assert.deepEqual(fields({ expression: 'params.data.most > 1' }, params), ['spec.validations[0].expression'])
    const variables = [{ name: 'n', expression: 'object.spec.replicas' }]
    assert.deepEqual(fields({ expression: "variables.n == 'a'" }, { variables }), ['spec.validations[0].expression'])
  })
})

test('checkedKinds() takes at most ten kinds', () => {
  const resources = served.filter(({ group }) => group === '').map(({ plural }) => plural)
  assert.ok(resources.length > 10)
  assert.equal(checkedKinds(policy([[[''], ['v1'], resources]], []), served).length, 10)
})
