import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { policyOf, role, binding as roleBinding } from '#apiserver/authorization/policy.fixture.ts'
import { createRbac } from '#apiserver/authorization/rbac.ts'
import { testDefinitions } from '#apiserver/api-server.fixture.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { createParameterAccess } from './parameter-access.ts'

const secrets = { paramKind: { apiVersion: 'v1', kind: 'Secret' } }
const configMaps = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
const policies: Readonly<Record<string, KubeObject>> = {
  secrets: { spec: secrets } as KubeObject,
  maps: { spec: configMaps } as KubeObject,
}
const read = (resource: string, resourceNames?: string[]): ReturnType<typeof role> =>
  role('reader', [
    { apiGroups: [''], resources: [resource], verbs: ['get', 'list'], ...(resourceNames === undefined ? {} : { resourceNames }) },
  ])
const alice = { username: 'alice', groups: [] }

/** Returns the message of the refusal when Alice, who has a role, writes a policy or a binding. */
function refusal(granted: ReturnType<typeof role>, kind: 'ies' | 'ybindings', spec: object, old?: object): string | undefined {
  using rbac = createRbac(policyOf([granted, roleBinding('b', 'ClusterRole/reader', ['User/alice'])]))
  const access = createParameterAccess({
    store: {
      getPending: (_resource, _namespace, name) =>
        policies[name] === undefined ? undefined : { object: policies[name], revision: 1, json: Buffer.alloc(0) },
    },
    registry: createResourceRegistry(testDefinitions()),
    authorize: rbac.authorize,
  })
  const plural = `validatingadmissionpolic${kind}`
  const definition = defineResource({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'Policy', plural, namespaced: false })
  const context = { user: alice, warn: () => {}, signal: new AbortController().signal, fieldManager: '' }
  const target = { definition, namespace: '', name: 'p', subresource: '' }
  const objects = { object: { spec } as KubeObject, old: old === undefined ? undefined : ({ spec: old } as KubeObject) }
  try {
    void access.validate?.({ operation: old === undefined ? 'CREATE' : 'UPDATE', target, ...objects, dryRun: false, context })
    return undefined
  } catch (error) {
    assert.ok(error instanceof StatusError && error.code === 422)
    return error.message
  }
}

suite('createParameterAccess()', () => {
  test('allows parameters that the user may read', () => {
    assert.equal(refusal(read('secrets'), 'ies', secrets), undefined)
    assert.equal(refusal(read('secrets'), 'ies', {}), undefined)
    assert.equal(
      refusal(read('secrets', ['s']), 'ybindings', { policyName: 'secrets', paramRef: { name: 's', namespace: 'dev' } }),
      undefined,
    )
    assert.equal(refusal(read('configmaps'), 'ybindings', { policyName: 'maps', paramRef: { selector: {} } }), undefined)
  })
  test('refuses parameters that the user may not read', () => {
    const must = /user alice must have "get" permission on all objects of the referenced paramKind \(kind=Secret, apiVersion=v1\)/
    assert.match(refusal(read('configmaps'), 'ies', secrets) ?? '', must)
    assert.match(refusal(read('secrets', ['s']), 'ies', secrets) ?? '', must)
    assert.match(refusal(read('configmaps'), 'ies', secrets, configMaps) ?? '', must)
    for (const paramRef of [{ name: 'other', namespace: 'dev' }, { selector: {} }]) {
      assert.match(refusal(read('secrets', ['s']), 'ybindings', { policyName: 'secrets', paramRef }) ?? '', /spec\.paramRef: Forbidden/)
    }
    assert.match(refusal(read('secrets'), 'ybindings', { policyName: 'later', paramRef: { name: 's' } }) ?? '', /kind=\*/)
  })
  test('does not check updates that leave the parameters alone', () =>
    assert.equal(refusal(read('configmaps'), 'ies', { ...secrets, failurePolicy: 'Fail' }, secrets), undefined))
})
