import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseRequestInfo } from './request-info.ts'

const base = { group: '', version: 'v1', namespace: undefined, name: '', subresource: '', rest: [] }
const cases = [
  ['GET', '/api/v1/pods', { ...base, verb: 'list', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=1', { ...base, verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=false', { ...base, verb: 'list', resource: 'pods' }],
  ['GET', '/api/v1/watch/pods', { ...base, verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/namespaces', { ...base, verb: 'list', resource: 'namespaces' }],
  ['GET', '/api/v1/namespaces/a', { ...base, verb: 'get', resource: 'namespaces', name: 'a' }],
  ['PUT', '/api/v1/namespaces/a/finalize', { ...base, verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' }],
  ['PATCH', '/api/v1/namespaces/a/status', { ...base, verb: 'patch', resource: 'namespaces', name: 'a', subresource: 'status' }],
  ['POST', '/api/v1/namespaces/a/pods', { ...base, verb: 'create', resource: 'pods', namespace: 'a' }],
  ['DELETE', '/api/v1/namespaces/a/pods', { ...base, verb: 'deletecollection', resource: 'pods', namespace: 'a' }],
  ['DELETE', '/api/v1/namespaces/a/pods/b', { ...base, verb: 'delete', resource: 'pods', namespace: 'a', name: 'b' }],
  [
    'POST',
    '/api/v1/namespaces/a/pods/b/binding',
    { ...base, verb: 'create', resource: 'pods', namespace: 'a', name: 'b', subresource: 'binding' },
  ],
  [
    'GET',
    '/api/v1/namespaces/a/services/b/proxy/x/y',
    { ...base, verb: 'get', resource: 'services', namespace: 'a', name: 'b', subresource: 'proxy', rest: ['x', 'y'] },
  ],
  ['GET', '/apis/kubevirt.io/v1/virtualmachines', { ...base, group: 'kubevirt.io', verb: 'list', resource: 'virtualmachines' }],
  [
    'GET',
    '/apis/kubevirt.io/v1/namespaces/a/virtualmachines/b?watch=true',
    { ...base, group: 'kubevirt.io', verb: 'watch', resource: 'virtualmachines', namespace: 'a', name: 'b' },
  ],
  [
    'GET',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt.io%3Aadmin',
    { ...base, group: 'rbac.authorization.k8s.io', verb: 'get', resource: 'clusterroles', name: 'kubevirt.io:admin' },
  ],
] as const

suite('parseRequestInfo()', () => {
  for (const [method, url, expected] of cases) {
    test(`parses ${method} ${url}`, () => {
      const [path = '', query = ''] = url.split('?')
      assert.deepEqual(parseRequestInfo(method, path, new URLSearchParams(query)), { kind: 'resource', ...expected, path })
    })
  }
  for (const method of ['DELETECOLLECTION', 'LIST', 'WATCH', 'get', 'constructor', '__proto__', 'toString']) {
    test(`maps the method ${method} to no verb`, () => {
      const info = parseRequestInfo(method, '/api/v1/namespaces/a/secrets/b', new URLSearchParams())
      assert.deepEqual([info.kind, info.verb], ['resource', ''])
    })
  }
  for (const path of ['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/healthz', '/openapi/v3/apis/apps/v1', '/version']) {
    test(`treats ${path} as a non-resource path`, () => {
      assert.deepEqual(parseRequestInfo('GET', path, new URLSearchParams()), { kind: 'nonResource', verb: 'get', path })
    })
  }
})
