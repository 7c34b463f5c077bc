import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AdmissionPlugin } from './admission/chain.ts'
import { type ApiServer, type ApiServerOptions, startApiServer } from './api-server.ts'
import { versionInfo } from './discovery/version.ts'
import type { Verbs } from './request/api-request.ts'
import { createVerbs } from './endpoints/verbs.ts'
import { createTestAuthority, type TestAuthority, type TestCertificate } from './http/tls.fixture.ts'
import type { ResourceDefinition, ResourceRegistry } from './registry/resource-definition.ts'
import { defineResource } from './registry/define-resource.ts'
import { createResourceRegistry } from './registry/resource-registry.ts'
import type { ObjectStore } from './storage/object-store.ts'
import { openObjectStore } from './storage/open-object-store.ts'

/** A server on a free port with its own store and an administrator's certificate. */
export interface TestServer extends AsyncDisposable {
  readonly server: ApiServer
  readonly store: ObjectStore
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  readonly authority: TestAuthority
  readonly admin: TestCertificate
  readonly directory: string
  /** Errors that the server logged. */
  readonly failures: readonly unknown[]
}

const involved: ResourceDefinition['selectableFields'] = new Map(
  ['kind', 'name', 'namespace', 'uid'].map((field) => [
    `involvedObject.${field}`,
    (object: object) => (object as { involvedObject?: Record<string, string> }).involvedObject?.[field] ?? '',
  ]),
)

/** Kinds for tests of the HTTP front. */
export function testDefinitions(): readonly ResourceDefinition[] {
  const rbac = (kind: string, plural: string, namespaced: boolean): ResourceDefinition =>
    defineResource({ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced, nameKind: 'path-segment' })
  return [
    defineResource({
      group: '',
      version: 'v1',
      kind: 'ConfigMap',
      plural: 'configmaps',
      namespaced: true,
      shortNames: ['cm'],
      schema: {
        type: 'object',
        description: 'Configuration as keys and values.',
        properties: {
          data: { type: 'object', description: 'The values.', additionalProperties: { type: 'string' } },
          binaryData: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
          immutable: { type: 'boolean' },
        },
      },
    }),
    defineResource({
      group: '',
      version: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      namespaced: false,
      shortNames: ['ns'],
      hasStatus: true,
    }),
    defineResource({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true }),
    defineResource({ group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true, selectableFields: involved }),
    ...['Mutating', 'Validating'].map((side) =>
      defineResource({
        group: 'admissionregistration.k8s.io',
        version: 'v1',
        kind: `${side}WebhookConfiguration`,
        plural: `${side.toLowerCase()}webhookconfigurations`,
        namespaced: false,
      }),
    ),
    rbac('Role', 'roles', true),
    rbac('RoleBinding', 'rolebindings', true),
    rbac('ClusterRole', 'clusterroles', false),
    rbac('ClusterRoleBinding', 'clusterrolebindings', false),
    defineResource({
      group: 'example.io',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
      custom: true,
      hasStatus: true,
      hasGeneration: true,
      schema: {
        type: 'object',
        description: 'A thing to test with.',
        properties: {
          spec: { type: 'object', description: 'What is wanted.', properties: { size: { type: 'integer', description: 'How large.' } } },
          status: { type: 'object', properties: { phase: { type: 'string' } } },
        },
      },
    }),
  ]
}

export async function startTestServer(
  options: Partial<ApiServerOptions> & {
    definitions?: readonly ResourceDefinition[]
    admission?: (store: ObjectStore, registry: ResourceRegistry) => readonly AdmissionPlugin[]
  } = {},
): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-'))
  const now = (): number => Math.floor(performance.timeOrigin + performance.now())
  const store = openObjectStore({ path: join(directory, 'state.db'), now, synchronous: 'NORMAL' })
  const registry = createResourceRegistry(options.definitions ?? testDefinitions())
  const random = (): number => randomInt(2 ** 32) / 2 ** 32
  const failures: unknown[] = []
  const verbs = createVerbs({ store, registry, admission: options.admission?.(store, registry) ?? [], now, randomUuid: randomUUID, random })
  const authority = await createTestAuthority()
  const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
  const server = await startApiServer({
    port: 0,
    tls: { ...serving, clientCa: authority.cert },
    tokens: [{ token: 'bob-token', username: 'bob', groups: ['dev'] }],
    verbs,
    registry,
    store,
    version: versionInfo('test', { commit: '', date: '2026-01-01T00:00:00Z', platform: 'linux/amd64' }),
    now,
    random,
    log: { info: () => {}, warn: () => {}, error: (fields) => failures.push(fields['error']) },
    ...options,
  })
  return {
    server,
    store,
    verbs,
    registry,
    authority,
    admin,
    directory,
    failures,
    async [Symbol.asyncDispose]() {
      await server.stop(100)
      await store[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
