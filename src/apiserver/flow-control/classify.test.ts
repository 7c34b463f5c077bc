import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'
import { compileSchemas } from './classify.ts'
import { seatsOf } from './flow-control.ts'
import { suggestedLevels, suggestedSchemas } from './suggested-objects.ts'

const user = (username: string, ...groups: string[]): UserInfo => ({ username, groups: [...groups, 'system:authenticated'] })
const account = (namespace: string, name: string): UserInfo =>
  user(`system:serviceaccount:${namespace}:${name}`, 'system:serviceaccounts', `system:serviceaccounts:${namespace}`)
const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
const node = user('system:node:a', 'system:nodes')

suite('compileSchemas()', () => {
  const schemas = compileSchemas(suggestedSchemas)
  const cases: readonly [method: string, path: string, user: UserInfo, want: string][] = [
    ['GET', '/api/v1/pods', user('root', 'system:masters'), 'exempt'],
    ['GET', '/readyz', anonymous, 'probes'],
    ['GET', '/readyz/ping', anonymous, 'global-default'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a', account('kube-system', 'a'), 'system-leader-election'],
    ['DELETE', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a', account('kube-system', 'a'), 'kube-system-service-accounts'],
    ['PUT', '/api/v1/namespaces/a/endpoints/a', account('kube-system', 'endpoint-controller'), 'endpoint-controller'],
    ['PUT', '/api/v1/namespaces/a/endpoints/a', account('kube-system', 'other'), 'workload-leader-election'],
    ['PATCH', '/api/v1/nodes/a/status', node, 'system-node-high'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a', node, 'system-node-high'],
    ['GET', '/apis/coordination.k8s.io/v1/leases', node, 'system-nodes'],
    ['GET', '/api/v1/pods', node, 'system-nodes'],
    ['GET', '/api/v1/pods', user('system:kube-scheduler'), 'kube-scheduler'],
    ['GET', '/api/v1/namespaces/a/pods', account('a', 'b'), 'service-accounts'],
    ['GET', '/api/v1/pods', user('ann'), 'global-default'],
    ['GET', '/metrics', user('ann'), 'global-default'],
  ]
  for (const [method, path, who, want] of cases) {
    test(`${method} ${path} by ${who.username}`, () => {
      const info = parseRequestInfo(method, path, new URLSearchParams())
      assert.equal(schemas.find(({ matches }) => matches(info, who))?.name, want)
    })
  }

  test('tries lower precedences first, then names', () => {
    const schema = (name: string, matchingPrecedence?: number) => ({
      metadata: { name },
      spec: matchingPrecedence === undefined ? {} : { matchingPrecedence },
    })
    const order = compileSchemas([schema('d'), schema('c', 1001), schema('b', 999), schema('a', 1000)]).map(({ name }) => name)
    assert.deepEqual(order, ['b', 'a', 'd', 'c'])
  })

  test('matches subresources, namespaces and paths by their own names only', () => {
    const rule = (resources: string[], namespaces: string[], clusterScope: boolean, nonResourceURLs: string[]) =>
      compileSchemas([
        {
          metadata: { name: 'a' },
          spec: {
            rules: [
              {
                subjects: [{ kind: 'User', user: { name: '*' } }],
                resourceRules: [{ verbs: ['get'], apiGroups: [''], resources, namespaces, clusterScope }],
                nonResourceRules: [{ verbs: ['get'], nonResourceURLs }],
              },
            ],
          },
        },
      ])[0]
    const matches = (compiled: ReturnType<typeof rule>, path: string): boolean | undefined =>
      compiled?.matches(parseRequestInfo('GET', path, new URLSearchParams()), anonymous)
    const status = rule(['pods/status'], ['a'], false, ['/a/*', '/b'])
    const found = ['/api/v1/namespaces/a/pods/p/status', '/a/b', '/b']
    const others = ['/api/v1/namespaces/a/pods/p', '/api/v1/namespaces/b/pods/p/status', '/b/c', '/c', '/api/v1/pods']
    for (const path of found) assert.equal(matches(status, path), true, path)
    for (const path of others) assert.equal(matches(status, path), false, path)
    assert.equal(matches(rule(['nodes'], [], true, []), '/api/v1/nodes/n'), true)
    assert.equal(matches(rule(['nodes'], ['*'], false, []), '/api/v1/nodes/n'), false)
  })
})

test('seatsOf() divides the requests by shares, as kube-apiserver does', () => {
  const seats = Object.fromEntries(seatsOf(suggestedLevels, 600).map(({ level, seats }) => [level, seats]))
  assert.deepEqual(seats, {
    exempt: 0,
    'catch-all': 13,
    'global-default': 49,
    'leader-election': 25,
    'node-high': 98,
    system: 74,
    'workload-high': 98,
    'workload-low': 245,
  })
})
