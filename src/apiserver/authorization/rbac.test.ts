import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { aggregatedRules } from './aggregation.ts'
import type { PolicyRule, RoleObject } from './policy.ts'
import { accessDenied, attributesOf, type AccessAttributes } from './authorizer.ts'
import { bootstrapPolicy } from './bootstrap/bootstrap-policy.ts'
import { policyOf, role } from './policy.fixture.ts'
import { createRbac } from './rbac.ts'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'

const policy = bootstrapPolicy()
const bind = (kind: string, namespace: string | undefined, role: string, subject: object): KubeObject =>
  ({
    kind,
    metadata: { name: 'b', ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { kind: 'ClusterRole', name: role },
    subjects: [subject],
  }) as KubeObject
const objects = [
  ...policy.roles,
  ...policy.bindings,
  bind('RoleBinding', 'dev', 'edit', { kind: 'User', name: 'alice' }),
  bind('ClusterRoleBinding', undefined, 'view', { kind: 'Group', name: 'auditors' }),
  bind('RoleBinding', 'dev', 'view', { kind: 'ServiceAccount', name: 'bot' }),
  {
    kind: 'ClusterRole',
    metadata: { name: 'named' },
    rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['one'] }],
  } as KubeObject,
  bind('RoleBinding', 'dev', 'named', { kind: 'User', name: 'carol' }),
  bind('ClusterRoleBinding', undefined, 'cluster-admin', { kind: 'User', name: '*' }),
]

const ask = (method: string, url: string): AccessAttributes => {
  const [path = '', query = ''] = url.split('?')
  return attributesOf(parseRequestInfo(method, path, new URLSearchParams(query)), new URLSearchParams(query))
}
const user = (username: string, ...groups: string[]) => ({ username, groups: [...groups, 'system:authenticated'] })

suite('createRbac()', () => {
  const rbac = createRbac(policyOf(objects))
  const cases = [
    ['lets masters do everything', user('root', 'system:masters'), 'DELETE', '/api/v1/nodes/a', true],
    ['lets an editor work in the namespace', user('alice'), 'POST', '/apis/kubevirt.io/v1/namespaces/dev/virtualmachines', true],
    ['lets an editor read a status', user('alice'), 'GET', '/api/v1/namespaces/dev/pods/a/status', true],
    [
      'leaves migrations to who may migrate',
      user('alice'),
      'POST',
      '/apis/kubevirt.io/v1/namespaces/dev/virtualmachineinstancemigrations',
      false,
    ],
    ['leaves a status to the components', user('alice'), 'PATCH', '/apis/kubevirt.io/v1/namespaces/dev/virtualmachines/a/status', false],
    ['leaves the installation to its admin', user('alice'), 'PATCH', '/apis/kubevirt.io/v1/namespaces/dev/kubevirts/a', false],
    ['keeps an editor out of others', user('alice'), 'POST', '/apis/kubevirt.io/v1/namespaces/prod/virtualmachines', false],
    ['keeps an editor from listing everywhere', user('alice'), 'GET', '/apis/kubevirt.io/v1/virtualmachines', false],
    ['lets an editor read its namespace object', user('alice'), 'GET', '/api/v1/namespaces/dev', true],
    ['gives no roles to an editor', user('alice'), 'POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/dev/roles', false],
    ['lets a viewer by group list everywhere', user('eve', 'auditors'), 'GET', '/apis/kubevirt.io/v1/virtualmachines', true],
    ['hides secrets from a viewer', user('eve', 'auditors'), 'GET', '/api/v1/secrets', false],
    ['knows service accounts', user('system:serviceaccount:dev:bot'), 'GET', '/api/v1/namespaces/dev/pods', true],
    ['lets the named object be read', user('carol'), 'GET', '/api/v1/namespaces/dev/secrets/one', true],
    ['refuses another name', user('carol'), 'GET', '/api/v1/namespaces/dev/secrets/two', false],
    [
      'lets the named object be listed by its name',
      user('carol'),
      'GET',
      '/api/v1/namespaces/dev/secrets?fieldSelector=metadata.name%3Done',
      true,
    ],
    ['refuses to list all when one is named', user('carol'), 'GET', '/api/v1/namespaces/dev/secrets', false],
    [
      'does not match a part of a name',
      user('carol'),
      'GET',
      `/api/v1/namespaces/dev/secrets?fieldSelector=${encodeURIComponent(String.raw`metadata.name!=x\,metadata.name=one`)}`,
      false,
    ],
    ['opens discovery to who is known', user('dave'), 'GET', '/apis/apps/v1', true],
    ['closes discovery to who is not', { username: 'system:anonymous', groups: ['system:unauthenticated'] }, 'GET', '/apis', false],
    ['opens health to everybody', { username: 'system:anonymous', groups: ['system:unauthenticated'] }, 'GET', '/readyz', true],
    ['keeps metrics closed', user('dave'), 'GET', '/metrics', false],
    ['lets a kubelet write pod status', user('system:node:a', 'system:nodes'), 'PATCH', '/api/v1/namespaces/dev/pods/p/status', true],
    ['keeps a kubelet from pods themselves', user('system:node:a', 'system:nodes'), 'PATCH', '/api/v1/namespaces/dev/pods/p', false],
    [
      'keeps the node agent from creating pods',
      user('system:serviceaccount:kubevirt:virt-handler'),
      'POST',
      '/api/v1/namespaces/dev/pods',
      false,
    ],
  ] as const
  for (const [name, who, method, url, expected] of cases)
    test(name, () => assert.equal(rbac.authorize(who, ask(method, url)).allowed, expected))

  test('applies a new binding at once', () => {
    const source = policyOf(objects)
    using changing = createRbac(source)
    const request = ask('GET', '/api/v1/namespaces/dev/pods')
    assert.equal(changing.authorize(user('zoe'), request).allowed, false)
    source.change(bind('RoleBinding', 'dev', 'view', { kind: 'User', name: 'zoe' }))
    assert.equal(changing.authorize(user('zoe'), request).allowed, true)
  })
})

suite('Aggregation', () => {
  const labelled = (name: string, label: string, rules: PolicyRule[]): RoleObject => {
    const plain = role(name, rules)
    return { ...plain, metadata: { ...plain.metadata, labels: { [label]: 'yes' } } }
  }
  const gather = (name: string, label: string, own?: string): RoleObject => ({
    ...labelled(name, own ?? 'none', []),
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: label, operator: 'Exists' }] }] },
  })
  const pods: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
  const nodes: PolicyRule = { apiGroups: [''], resources: ['nodes'], verbs: ['get'] }

  test('collects the distinct rules of selected roles, recursively', () => {
    const all = [
      gather('top', 'to-top'),
      gather('middle', 'to-middle', 'to-top'),
      labelled('a', 'to-middle', [pods]),
      labelled('b', 'to-top', [pods, nodes]),
      labelled('c', 'to-nobody', [{ ...pods, verbs: ['delete'] }]),
    ]
    assert.deepEqual(aggregatedRules(all[0] as RoleObject, all), [pods, nodes])
    assert.deepEqual(aggregatedRules(all[1] as RoleObject, all), [pods])
  })
  test('terminates for cycles', () => {
    const all = [gather('x', 'to-x', 'to-y'), gather('y', 'to-y', 'to-x'), labelled('a', 'to-y', [pods])]
    assert.deepEqual(aggregatedRules(all[0] as RoleObject, all), [pods])
  })
  test('ignores an invalid selector', () => {
    const odd = { ...role('odd', []), aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }] } }
    assert.deepEqual(aggregatedRules(odd, [odd, role('a', [pods])]), [])
  })
})

// Users search for these messages, and scripts match them.
test("accessDenied() uses Kubernetes' words", () => {
  const message = (method: string, url: string): string => accessDenied(user('u'), ask(method, url), '').message
  assert.equal(
    message('GET', '/api/v1/pods'),
    'pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope',
  )
  assert.equal(
    message('PUT', '/apis/kubevirt.io/v1/namespaces/n/virtualmachines/a/status'),
    'virtualmachines.kubevirt.io "a" is forbidden: User "u" cannot update resource "virtualmachines/status" in API group "kubevirt.io" in the namespace "n"',
  )
  assert.equal(message('GET', '/metrics'), 'forbidden: User "u" cannot get path "/metrics"')
})
