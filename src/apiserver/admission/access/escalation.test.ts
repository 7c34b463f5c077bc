import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { createEscalationCheck } from './escalation.ts'
import type { PolicyRule } from '#apiserver/authorization/policy.ts'
import { createRbac } from '#apiserver/authorization/rbac.ts'
import { binding, policyOf, role } from '#apiserver/authorization/policy.fixture.ts'

const alice: UserInfo = { username: 'alice', groups: ['dev', 'system:authenticated'] }
const read: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }

/** Returns the message of the refusal of a write under a policy. */
function refusal(policy: readonly KubeObject[], object: KubeObject, old?: KubeObject, user: UserInfo = alice): string | undefined {
  using rbac = createRbac(policyOf(policy))
  const kind = object.kind ?? ''
  const namespaced = object.metadata?.namespace !== undefined
  const definition = defineResource({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
  })
  const target = { definition, namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '', subresource: '' }
  const context = { user, warn: () => {}, signal: new AbortController().signal, fieldManager: '' }
  const operation = old === undefined ? 'CREATE' : 'UPDATE'
  try {
    void createEscalationCheck(rbac).validate?.({ operation, target, object, old, dryRun: false, context })
    return undefined
  } catch (error) {
    assert.ok(error instanceof StatusError)
    return error.message
  }
}

const holdsRead = [role('reader', [read], 'dev'), binding('b', 'Role/reader', ['User/alice'], 'dev')]

suite('createEscalationCheck()', () => {
  test('allows granting rules that the user holds', () => {
    assert.equal(refusal(holdsRead, role('x', [{ ...read, verbs: ['get'] }], 'dev')), undefined)
    assert.equal(refusal(holdsRead, role('x', [{ ...read, resourceNames: ['p'] }], 'dev')), undefined)
    assert.equal(refusal(holdsRead, binding('x', 'Role/reader', ['User/bob'], 'dev')), undefined)
  })
  test("names the rules that the user does not hold, in Kubernetes' words", () => {
    const wanted: PolicyRule[] = [
      { ...read, verbs: ['get', 'delete', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs: ['update'] },
    ]
    assert.equal(
      refusal(holdsRead, role('x', wanted, 'dev')),
      'roles.rbac.authorization.k8s.io "x" is forbidden: user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["update"]}',
    )
  })
  test('does not expand a rule that names billions of combinations', () => {
    const many = (what: string): string[] => Array.from({ length: 2000 }, (_, index) => `${what}${index}`)
    const bomb: PolicyRule = { apiGroups: many('g'), resources: many('r'), resourceNames: many('n'), verbs: many('v') }
    assert.match(refusal(holdsRead, role('x', [bomb], 'dev')) ?? '', /not currently held/)
  })
  test('counts only rules held in the same namespace', () => {
    assert.match(refusal(holdsRead, role('x', [read], 'prod')) ?? '', /not currently held/)
    assert.match(refusal(holdsRead, role('x', [read])) ?? '', /not currently held/)
  })
  test('does not take a resourceName for all names', () => {
    const named = [role('reader', [{ ...read, resourceNames: ['p'] }], 'dev'), binding('b', 'Role/reader', ['User/alice'], 'dev')]
    assert.match(refusal(named, role('x', [read], 'dev')) ?? '', /not currently held/)
  })
  test('refuses URLs that are not covered', () => {
    const holds = [role('urls', [{ nonResourceURLs: ['/metrics/*'], verbs: ['get'] }]), binding('b', 'ClusterRole/urls', ['User/alice'])]
    assert.equal(refusal(holds, role('x', [{ nonResourceURLs: ['/metrics/a'], verbs: ['get'] }])), undefined)
    assert.match(
      refusal(holds, role('x', [{ nonResourceURLs: ['*'], verbs: ['get'] }])) ?? '',
      /\{NonResourceURLs:\["\*"\], Verbs:\["get"\]\}/,
    )
  })
  test('allows more with the verb escalate on the role', () => {
    const rule = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], resourceNames: ['x'], verbs: ['escalate'] }
    const may = [role('e', [rule], 'dev'), binding('b', 'Role/e', ['User/alice'], 'dev')]
    assert.equal(refusal(may, role('x', [read], 'dev')), undefined)
    assert.match(refusal(may, role('y', [read], 'dev')) ?? '', /not currently held/)
  })
  test('refuses to bind a role with more rules, unless the user has the verb bind', () => {
    const admin = role('boss', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])
    const wanted = binding('x', 'ClusterRole/boss', ['User/alice'], 'dev')
    assert.match(refusal([...holdsRead, admin], wanted) ?? '', /\{APIGroups:\["\*"\], Resources:\["\*"\], Verbs:\["\*"\]\}/)
    const rule = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: ['boss'], verbs: ['bind'] }
    const may = [admin, role('e', [rule], 'dev'), binding('b', 'Role/e', ['User/alice'], 'dev')]
    assert.equal(refusal(may, wanted), undefined)
    assert.equal(refusal(may, binding('x', 'ClusterRole/nobody', [], 'dev')), 'clusterroles.rbac.authorization.k8s.io "nobody" not found')
  })
  test('refuses a new label on a role with more rules: aggregation could add it to a role of the user', () => {
    const boss = role('boss', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])
    const labelled = { ...boss, metadata: { ...boss.metadata, labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } } }
    assert.match(refusal(holdsRead, labelled, boss) ?? '', /not currently held/)
    assert.equal(refusal(holdsRead, { ...boss, metadata: { ...boss.metadata, finalizers: [] } }, boss), undefined)
  })
  test('allows an aggregationRule only to users with all rights', () => {
    const aggregated = { ...role('x', []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }
    assert.match(refusal(holdsRead, aggregated) ?? '', /must have cluster-admin privileges to use the aggregationRule$/)
    assert.match(refusal(holdsRead, role('x', []), aggregated) ?? '', /must have cluster-admin privileges/)
    assert.equal(refusal([], aggregated, undefined, { username: 'root', groups: ['system:masters'] }), undefined)
  })
})
