import assert from 'node:assert/strict'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import type { ApiServerOptions } from '#apiserver/api-server.ts'
import { connectTo, type TestClient } from '#apiserver/http/http2-client.fixture.ts'
import { createTestAuthority, type TestAuthority, type TestCertificate } from '#apiserver/http/tls.fixture.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'

const asJson = { 'content-type': 'application/json' }

/** A server with all built-in kinds, and the certificates of an extension API server. */
export interface AggregationTest extends AsyncDisposable {
  readonly api: TestServer
  readonly admin: TestClient
  /** CA of front proxies. */
  readonly requestHeader: TestAuthority
  /** CA and certificate of the service `extension` in namespace `dev`. */
  readonly serving: TestAuthority
  readonly certificate: TestCertificate
  create(path: string, object: object): Promise<Record<string, unknown>>
  /** Creates the service with endpoints on a local port. */
  expose(port: number): Promise<void>
  /** Creates the APIService of `example.test/v1`. */
  register(spec?: object): Promise<void>
  /** Waits until the condition Available has this status and reason, and returns its message. */
  untilAvailable(status: string, reason: string): Promise<string>
}

/** @param options options of the API server */
export async function startAggregationTest(options: Partial<ApiServerOptions> = {}): Promise<AggregationTest> {
  const [requestHeader, serving] = await Promise.all([createTestAuthority('requestheader-ca'), createTestAuthority('serving-ca')])
  const [proxyClient, certificate] = await Promise.all([
    requestHeader.issue('front-proxy-client'),
    serving.issue('extension', [], ['extension.dev.svc']),
  ])
  const api = await startTestServer({ definitions: builtinDefinitions(), proxyClient, ...options })
  const admin = connectTo(api)
  const create = async (path: string, object: object): Promise<Record<string, unknown>> => {
    const answer = await admin.request('POST', path, { headers: asJson, body: object })
    assert.equal(answer.status, 201, `${path}: ${answer.text}`)
    return answer.value as Record<string, unknown>
  }
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dev' } })
  const path = '/apis/apiregistration.k8s.io/v1/apiservices'
  return {
    api,
    admin,
    requestHeader,
    serving,
    certificate,
    create,
    async expose(port) {
      await create('/api/v1/namespaces/dev/services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'extension' },
        spec: { ports: [{ name: 'https', port: 443, targetPort: port }] },
      })
      await create('/apis/discovery.k8s.io/v1/namespaces/dev/endpointslices', {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'extension-1', labels: { 'kubernetes.io/service-name': 'extension' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
        ports: [{ name: 'https', port }],
      })
    },
    async register(spec = {}) {
      await create(path, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.example.test' },
        spec: {
          group: 'example.test',
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          service: { namespace: 'dev', name: 'extension' },
          caBundle: Buffer.from(serving.cert).toString('base64'),
          ...spec,
        },
      })
    },
    async untilAvailable(status, reason) {
      const { stream, events } = admin.watch(
        `${path}?watch=true&fieldSelector=metadata.name%3Dv1.example.test&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      )
      // Shorter than the interval of the periodic check.
      const patience = setTimeout(() => stream.close(), 10_000)
      try {
        for (;;) {
          const { value, done } = await events.next()
          assert.ok(done !== true, 'the watch has ended')
          const condition = (value.object as unknown as APIService).status?.conditions?.[0]
          if (condition?.status === status && condition.reason === reason) return condition.message ?? ''
        }
      } finally {
        clearTimeout(patience)
        stream.close()
      }
    },
    async [Symbol.asyncDispose]() {
      admin[Symbol.dispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}
