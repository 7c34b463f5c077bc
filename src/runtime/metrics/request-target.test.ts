import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestTarget } from './request-target.ts'

const rows = [
  ['GET', '/api/v1/namespaces/shop/pods/web', 'GET', 'pods', '/api/v1/namespaces/{namespace}/pods/{name}'],
  ['GET', '/api/v1/pods?limit=500&watch=true', 'WATCH', 'pods', '/api/v1/pods'],
  ['GET', '/api/v1/pods?labelSelector=watch=truethat', 'LIST', 'pods', '/api/v1/pods'],
  ['GET', '/api/v1/namespaces', 'LIST', 'namespaces', '/api/v1/namespaces'],
  ['GET', '/api/v1/namespaces/shop', 'GET', 'namespaces', '/api/v1/namespaces/{name}'],
  [
    'PATCH',
    '/apis/kubevirt.io/v1/namespaces/shop/virtualmachines/db/status?fieldManager=m',
    'PATCH',
    'virtualmachines',
    '/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}/status',
  ],
  [
    'POST',
    '/apis/apps/v1/namespaces/n/controllerrevisions',
    'CREATE',
    'controllerrevisions',
    '/apis/apps/v1/namespaces/{namespace}/controllerrevisions',
  ],
  ['PUT', '/apis/kubevirt.io/v1/kubevirts/k', 'UPDATE', 'kubevirts', '/apis/kubevirt.io/v1/kubevirts/{name}'],
  ['DELETE', '/api/v1/nodes/n1', 'DELETE', 'nodes', '/api/v1/nodes/{name}'],
  ['GET', '/version', 'none', 'none', '/version'],
  ['GET', '/apis/kubevirt.io/v1', 'none', 'none', '/apis/kubevirt.io/v1'],
] as const

for (const [method, path, verb, resource, template] of rows) {
  test(`requestTarget() of ${method} ${path}`, () => assert.deepEqual(requestTarget(method, path), { verb, resource, template }))
}
