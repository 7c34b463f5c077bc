import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import { startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { serveCustomResources } from '#apiserver/extensions/serve-custom-resources.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import type { Client } from '#client/client.ts'

/**
 * A kind of ours of which objects are stored in two versions: `old`, in which nothing is stored any
 * more, and `new`.
 */
export interface Widgets extends AsyncDisposable {
  readonly client: Client
  definition(): Promise<CustomResourceDefinition>
  /** In how many of the objects the database holds each version. */
  stored(): Record<string, number>
  /** Stores in this version from now on. */
  storeAs(version: 'v1' | 'v2'): Promise<void>
  /**
   * Versions other than this are gone. @throws StatusError as long as objects may be stored in them
   */
  keepOnly(version: 'v1' | 'v2'): Promise<void>
}

/** Through the newer version. */
export const widgets: ResourceType<KubeObject> = {
  group: 'kubevirt.io',
  version: 'v2',
  kind: 'Testlet',
  plural: 'testlets',
  namespaced: true,
}
const name = 'testlets.kubevirt.io'

/**
 * Starts an API server with `count` objects that are stored in v1, and some in v2, in which all are
 * stored from now on.
 */
export async function startWidgets(count: number, plugins: readonly AdmissionPlugin[] = []): Promise<Widgets> {
  const server = await startTestServer(plugins)
  const errors: unknown[] = []
  const resources = serveCustomResources({
    ...server,
    now: server.time.now,
    randomUuid: () => crypto.randomUUID(),
    onError: (error) => void errors.push(error),
  })
  const client = createInProcessClient({ ...server, user: { username: 'test', groups: ['system:masters'] } })
  const definition = (): Promise<CustomResourceDefinition> => client.get(customResourceDefinitions, { name })
  const withVersions = async (change: (versions: CustomResourceDefinition['spec']['versions']) => object[]): Promise<void> => {
    const body = { spec: { versions: change((await definition()).spec.versions) } }
    await client.patch(customResourceDefinitions, { name }, { type: 'merge', body })
    await resources.settled()
  }
  const found: Widgets = {
    client,
    definition,
    stored() {
      const counts: Record<string, number> = {}
      for (const { object } of server.store.list('kubevirt.io/testlets')) {
        const version = object.apiVersion?.split('/')[1] ?? ''
        counts[version] = (counts[version] ?? 0) + 1
      }
      return counts
    },
    storeAs: (version) => withVersions((versions) => versions.map((each) => ({ ...each, storage: each.name === version }))),
    keepOnly: (version) => withVersions((versions) => versions.filter((each) => each.name === version)),
    [Symbol.asyncDispose]: async () => {
      resources[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
  await client.create(customResourceDefinitions, testlets)
  await resources.settled()
  for (let index = 0; index < count; index++) await client.create(widgets, testlet(`old-${index}`))
  await found.storeAs('v2')
  await client.create(widgets, testlet('new'))
  return found
}

function testlet(name: string): KubeObject {
  return { metadata: { namespace: 'default', name } }
}

const version = { served: true, schema: { openAPIV3Schema: { type: 'object' as const } } }
const testlets: CustomResourceDefinition = {
  metadata: { name, labels: { 'kubevirt.io': '' } },
  spec: {
    group: 'kubevirt.io',
    scope: 'Namespaced',
    names: { kind: 'Testlet', plural: 'testlets' },
    versions: [
      { ...version, name: 'v1', storage: true },
      { ...version, name: 'v2', storage: false },
    ],
  },
}
