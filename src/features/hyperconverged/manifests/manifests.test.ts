import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { metricsPortName, monitoringKinds } from '../observability/monitoring.ts'
import { components } from '../components/rendering/components.ts'
import { defaultHyperConverged, hyperConvergedManifests } from './manifests.ts'

const definition = { kind: 'CustomResourceDefinition', metadata: { name: 'hyperconvergeds.hco.kubevirt.io' } }
const objects = hyperConvergedManifests({ version: 'v1.2.3', registry: 'mine.test', definitions: [definition] })
const find = (kind: string): KubeObject & { readonly rules?: readonly PolicyRule[] } => {
  const found = objects.find((object) => object.kind === kind)
  assert.ok(found, kind)
  return found
}

test('the operator has its image, its account and its policy', () => {
  const text = JSON.stringify(find('Deployment'))
  assert.ok(text.includes('"mine.test/hyperconverged-operator:v1.2.3"') && text.includes('"serviceAccountName":"hyperconverged-operator"'))
  const policy = JSON.stringify(find('ValidatingAdmissionPolicy'))
  const { name = '', namespace = '' } = defaultHyperConverged.metadata ?? {}
  assert.ok(policy.includes(`'${name}'`) && policy.includes(`'${namespace}'`))
  assert.equal(objects[0], definition)
})

test('Prometheus finds the metrics through the Service, and the operator maintains what says so', () => {
  const port = JSON.stringify(find('Service'))
  assert.ok(
    port.includes(`"name":"${metricsPortName}","port":8443`) &&
      JSON.stringify(find('Deployment')).includes(`"name":"${metricsPortName}","containerPort":8443`),
  )
  for (const { group, plural, objectName } of monitoringKinds) {
    const rules = (find('Role').rules ?? []).filter(
      (rule) => rule.apiGroups?.includes(group) === true && rule.resources?.includes(plural) === true,
    )
    const named = rules.filter(({ resourceNames }) => resourceNames?.includes(objectName) === true)
    assert.deepEqual(
      named.flatMap(({ verbs }) => verbs),
      ['get', 'list', 'watch', 'patch'],
    )
    assert.deepEqual(
      rules.filter((rule) => !named.includes(rule)).flatMap(({ verbs }) => verbs),
      ['create'],
    )
    assert.ok(!JSON.stringify(find('ClusterRole')).includes(group), 'only in its own namespace')
  }
})

test('rights: every component may be applied, and nothing has a wildcard', () => {
  const rules = [...(find('ClusterRole').rules ?? []), ...(find('Role').rules ?? [])]
  assert.ok(!JSON.stringify(rules).includes('*'))
  for (const { group, plural, objectName, adopts } of components) {
    const own = rules.filter((rule) => rule.apiGroups?.includes(group) === true && rule.resources?.includes(plural) === true)
    const named = (verb: string): readonly (readonly string[] | undefined)[] =>
      own.filter(({ verbs }) => verbs.includes(verb)).map(({ resourceNames }) => resourceNames)
    for (const verb of ['get', 'list', 'watch', 'create', 'patch']) assert.deepEqual(named(verb), [undefined], `${verb} ${plural}`)
    // What others have created is never deleted.
    assert.deepEqual(named('delete'), [adopts === true ? undefined : [objectName]], plural)
  }
})

test('the policies are about the only object', () => {
  const [singleton, deletion] = objects
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    .map((policy): string => JSON.stringify(policy))
  const { name = '', namespace = '' } = defaultHyperConverged.metadata ?? {}
  for (const policy of [singleton, deletion]) assert.ok(policy?.includes(namespace) === true && policy.includes(name), policy ?? 'none')
  const bindings = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding') as unknown as readonly {
    readonly spec: object
  }[]
  assert.deepEqual(bindings[1]?.spec, {
    policyName: 'deletion.hyperconverged.steadyvm.io',
    paramRef: { namespace, name, parameterNotFoundAction: 'Allow' },
    validationActions: ['Deny'],
  })
})
