import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'
import { attributesOf, type Authorizer } from '../authorizer.ts'
import { createNodeAuthorizer } from './node-authorizer.ts'

const container = {
  name: 'c',
  env: [
    { name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } },
    { name: 'B', valueFrom: { configMapKeyRef: { name: 'env', key: 'k' } } },
  ],
  envFrom: [{ secretRef: { name: 'all' } }, { configMapRef: { name: 'all' } }],
}
const pod = {
  metadata: { name: 'p', namespace: 'dev' },
  spec: {
    nodeName: 'a',
    serviceAccountName: 'bot',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [container],
    initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'init' } }] }],
    volumes: [
      { name: '1', secret: { secretName: 'volume' } },
      { name: '2', configMap: { name: 'volume' } },
      { name: '3', persistentVolumeClaim: { claimName: 'claim' } },
      {
        name: '4',
        projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }, { serviceAccountToken: {} }] },
      },
    ],
  },
}
const elsewhere = {
  metadata: { name: 'q', namespace: 'dev' },
  spec: { nodeName: 'b', containers: [], volumes: [{ name: '1', secret: { secretName: 'other' } }] },
}
const claim = { metadata: { name: 'claim', namespace: 'dev' }, spec: { volumeName: 'pv-1' } }
const unused = { metadata: { name: 'unused', namespace: 'dev' }, spec: { volumeName: 'pv-2' } }
const stored: Readonly<Record<string, readonly object[]>> = { '/pods': [pod, elsewhere], '/persistentvolumeclaims': [claim, unused] }

const denyAll: Authorizer = () => ({ allowed: false, reason: '' })
const authorize = createNodeAuthorizer(
  {
    list: (resource, namespace) =>
      ((stored[resource] ?? []) as KubeObject[])
        .filter((object) => namespace === undefined || object.metadata?.namespace === namespace)
        .map((object) => ({ object, revision: 1, json: Buffer.alloc(0) })),
  },
  denyAll,
)
const node = (name: string) => ({ username: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] })

suite('createNodeAuthorizer()', () => {
  const dev = '/api/v1/namespaces/dev'
  const may = (request: string, user: Parameters<Authorizer>[0] = node('a')): boolean => {
    const [method = '', url = ''] = request.split(' ')
    const [path = '', query = ''] = url.split('?')
    return authorize(user, attributesOf(parseRequestInfo(method, path, new URLSearchParams(query)), new URLSearchParams(query))).allowed
  }
  const granted = [
    ...['env', 'all', 'pull', 'init', 'volume', 'projected'].map((name) => `GET ${dev}/secrets/${name}`),
    ...['env', 'all', 'volume', 'projected'].map((name) => `GET ${dev}/configmaps/${name}`),
    `GET ${dev}/secrets?watch=1&fieldSelector=metadata.name%3Dvolume`,
    `GET ${dev}/persistentvolumeclaims/claim`,
    'GET /api/v1/persistentvolumes/pv-1',
    `GET ${dev}/serviceaccounts/bot`,
    `POST ${dev}/serviceaccounts/bot/token`,
  ]
  for (const request of granted) test(`allows a kubelet ${request}`, () => assert.equal(may(request), true))
  const refused = [
    `GET ${dev}/secrets/other`,
    `GET ${dev}/secrets`,
    'GET /api/v1/secrets',
    'GET /api/v1/namespaces/prod/secrets/volume',
    `PUT ${dev}/secrets/volume`,
    `DELETE ${dev}/configmaps/volume`,
    `POST ${dev}/serviceaccounts/admin/token`,
    'GET /api/v1/persistentvolumes/pv-2',
    'GET /apis/x.io/v1/namespaces/dev/secrets/volume',
  ]
  for (const request of refused) test(`delegates whether a kubelet may ${request}`, () => assert.equal(may(request), false))
  test('identifies kubelets by group and name', () => {
    assert.equal(may(`GET ${dev}/secrets/volume`, node('b')), false)
    assert.equal(may(`GET ${dev}/secrets/volume`, { username: 'system:node:a', groups: [] }), false)
    assert.equal(may(`GET ${dev}/secrets/volume`, { username: 'alice', groups: ['system:nodes'] }), false)
  })
})
