import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { namespaces, nodes } from '#api/core/v1/resources.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { ComponentStatus } from '#api/hco/v1/status.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import { createPolicyAdmission } from '#apiserver/admission/policy/policy-admission.ts'
import { startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { serveCustomResources } from '#apiserver/extensions/serve-custom-resources.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { imageRightsKinds } from '../components/boot-images/image-rights.ts'
import { importCronKind } from '../components/boot-images/import-crons.ts'
import { createHyperConvergedOperator } from './controller.ts'
import { hyperConvergedKey } from '../names.ts'
import { deschedulerKind } from '../observability/descheduler.ts'
import { builtInResource } from '../components/objects/caches.ts'
import { workloadKinds } from '../components/workloads/kinds.ts'
import type { RegistrationState } from '../webhooks/registration-state.ts'
import { monitoringKinds } from '../observability/monitoring.ts'
import type { ReleasedVersion } from '../lifecycle/upgrade/patches/releases.ts'
import { readUpgradeRules } from '../lifecycle/upgrade/patches/validate.ts'
import type { DryRun } from '../webhooks/dry-run.ts'
import { clusterSettingsKind } from '../components/rendering/cluster-facts.ts'
import { components, definitionName, type CachedKind } from '../components/rendering/components.ts'

/** A write of the operator: `patch kubevirts`, `patch hyperconvergeds/status`. */
export type Write = string

/** What the operator of a release knows. */
export interface TestRelease {
  /** Default: v1.2.3. */
  readonly version?: string
  /** Entries of its `upgradePatches.json`, or the text of the file. Default: none. */
  readonly patches?: readonly object[] | string
  readonly removals?: readonly object[]
  /** Default: the real ones. */
  readonly releases?: readonly ReleasedVersion[]
  readonly environment?: Readonly<Record<string, string>>
  /** Default: the webhooks are registered. */
  readonly registration?: RegistrationState
}

/** An API server with HyperConverged and KubeVirt, one node, and the default object. */
export interface Platform extends AsyncDisposable {
  readonly client: Client
  /** A client of another user. */
  as(username: string): Client
  readonly writes: readonly Write[]
  /** Events as `Reason: message`. */
  readonly events: readonly string[]
  /** Starts the operator; the result stops it. */
  start(through?: (client: Client) => Client, release?: TestRelease): () => Promise<void>
  /** Asks the components about an edit, as the operator that was started last. */
  readonly dryRun: DryRun
  /** Values of the metrics of the operator that was started last, by name and labels. */
  scrape(): Promise<ReadonlyMap<string, number>>
  /** Installs the kind of an object of others. `spec`: JSON schema; default: anything. */
  install(name: string, spec?: object): Promise<ResourceType<KubeObject>>
  hyperconverged(): Promise<HyperConverged>
  /** Merges into the spec of HyperConverged. */
  edit(spec: object): Promise<void>
  /** Writes the conditions of a component as its operator does. */
  report(resource: ResourceType<KubeObject>, name: string, conditions: Readonly<Record<string, 'True' | 'False'>>): Promise<void>
  /** Waits until HyperConverged satisfies a condition. */
  until(isSo: (hyperconverged: HyperConverged) => Promise<boolean> | boolean): Promise<HyperConverged>
  /** Waits until the operator has written nothing for a while. */
  settled(): Promise<void>
  /** Waits until there is no HyperConverged object. */
  gone(): Promise<void>
  /**
   * Removes the finalizers of deleted objects, as the operators of the components and the garbage
   * collector do. `isStuck`: those of a name stay.
   */
  endDeletions(resources: readonly ResourceType<KubeObject>[], isStuck?: (name: string) => boolean): void
  /** Objects that have ended by {@link Platform.endDeletions}, as `Kind/name`. */
  readonly ended: readonly string[]
}

const manifests = join(import.meta.dirname, '..', '..', '..', '..', 'manifests')
const read = (file: string): CustomResourceDefinition[] =>
  JSON.parse(readFileSync(join(manifests, file), 'utf8')) as CustomResourceDefinition[]
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const
const patienceMs = 60_000
const quietMs = 200

/** `plugins`: further admission of the API server. Default: the policies alone. */
export async function startPlatform(plugins: readonly AdmissionPlugin[] = []): Promise<Platform> {
  let policies: (AdmissionPlugin & Disposable) | undefined
  const server = await startTestServer([{ name: 'policies', validate: (request) => policies?.validate?.(request) }, ...plugins])
  policies = createPolicyAdmission({ ...server, randomUuid: () => crypto.randomUUID(), authorize: () => ({ allowed: true, reason: '' }) })
  const kinds = serveCustomResources({
    ...server,
    now: server.time.now,
    randomUuid: () => crypto.randomUUID(),
    onError: () => {},
  })
  const as = (username: string): Client => createInProcessClient({ ...server, user: { username, groups: ['system:masters'] } })
  const client = as('admin')
  const writes: Write[] = []
  const events: string[] = []
  const ended: string[] = []
  const ending = new AbortController()
  const endings: Promise<void>[] = []
  let dryRun: DryRun | undefined
  let registry = createMetrics()
  const stops: (() => Promise<void>)[] = []

  await client.create(namespaces, { metadata: { name: hyperConvergedKey.namespace } })
  const own = [
    ...read('hyperconverged-crds.generated.json'),
    ...read('crds.generated.json').filter(({ metadata }) => metadata.name === 'kubevirts.kubevirt.io'),
  ]
  for (const definition of own) await client.create(customResourceDefinitions, definition)
  await kinds.settled()
  await client.create(nodes, { metadata: { name: 'n1' } })
  await client.create(hyperConvergeds, { metadata: { ...hyperConvergedKey }, spec: {} })

  const platform: Platform = {
    client,
    as,
    writes,
    events,
    start(through = (inner) => inner, { version = 'v1.2.3', patches = [], removals = [], releases, environment = {}, registration } = {}) {
      const file = typeof patches === 'string' ? patches : JSON.stringify({ hcoCRPatchList: patches, objectsToBeRemoved: removals })
      // A process of its own starts to count anew.
      registry = createMetrics()
      const { caches, controller, ...rest } = createHyperConvergedOperator({
        client: through(counted(as('hyperconverged-operator'), writes)),
        registry,
        recorder: { event: (_object, _type, reason, message) => void events.push(`${reason}: ${message}`) },
        clock,
        log,
        random: () => 1,
        version,
        environment,
        upgradeRules: readUpgradeRules(file, version, releases),
        ...(registration === undefined ? {} : { registration }),
      })
      dryRun = rest.dryRun
      const ending = new AbortController()
      const running = [...caches, controller].map((part) => part.run(ending.signal))
      const stop = async (): Promise<void> => {
        ending.abort()
        await Promise.all(running)
      }
      stops.push(stop)
      return stop
    },
    get dryRun() {
      if (dryRun === undefined) throw new TypeError('start the operator first')
      return dryRun
    },
    async scrape() {
      const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
    },
    async install(name, spec) {
      const component = [...components, importCronKind, ...monitoringKinds, ...workloadKinds, deschedulerKind, clusterSettingsKind].find(
        (one) => one.name === name,
      )
      if (component === undefined) throw new TypeError(name)
      await client.create(customResourceDefinitions, definitionOf(component, spec))
      await kinds.settled()
      const { group, versions, kind, plural } = component
      return { group, version: versions[0] ?? '', kind, plural, namespaced: true }
    },
    hyperconverged: () => client.get(hyperConvergeds, hyperConvergedKey),
    edit: async (spec) => void (await client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { spec } })),
    async report(resource, name, conditions) {
      const list = Object.entries(conditions).map(([type, status]) => ({ type, status, message: `${type} is ${status}` }))
      const key = { namespace: hyperConvergedKey.namespace, name }
      await client.patch(resource, key, { type: 'merge', body: { status: { conditions: list } } }, { subresource: 'status' })
    },
    async until(isSo) {
      const end = performance.now() + patienceMs
      for (;;) {
        const asked = performance.now()
        const now = await platform.hyperconverged()
        if (await isSo(now)) return now
        if (performance.now() > end) throw new TypeError(`It stays so: ${JSON.stringify(now.status)} ${events.join('; ')}`)
        // The question must not take the processor from the operator.
        await sleep(Math.min(200, Math.max(10, 4 * (performance.now() - asked))))
      }
    },
    async settled() {
      for (let before = -1; before !== writes.length; await sleep(quietMs)) before = writes.length
    },
    ended,
    async gone() {
      const end = performance.now() + patienceMs
      for (;;) {
        const now = await found(platform.hyperconverged())
        if (now === undefined) return
        if (performance.now() > end) throw new TypeError(`It is still there: ${JSON.stringify(now)} ${events.join('; ')}`)
        await sleep(10)
      }
    },
    endDeletions(resources, isStuck = () => false) {
      const endSome = async (resource: ResourceType<KubeObject>): Promise<void> => {
        for (const object of (await found(client.list(resource)))?.items ?? []) {
          const { name = '', namespace = '' } = object.metadata ?? {}
          if (!isBeingDeleted(object) || isStuck(name)) continue
          ended.push(`${resource.kind}/${name}`)
          await found(client.patch(resource, { namespace, name }, { type: 'merge', body: { metadata: { finalizers: null } } }))
        }
      }
      const endAll = async (): Promise<void> => {
        const builtIn = [...workloadKinds, ...imageRightsKinds].filter((kind) => kind.builtIn !== undefined).map(builtInResource)
        for (; !ending.signal.aborted; await sleep(5)) await Promise.all([...resources, ...builtIn].map(endSome))
      }
      endings.push(endAll())
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await Promise.all(endings)
      for (const stop of stops) await stop()
      policies?.[Symbol.dispose]()
      kinds[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
  return platform
}

/** State of a component in the status. */
export function stateIn({ status }: HyperConverged, name: string): ComponentStatus | undefined {
  return status?.steadyvm?.components?.find((component) => component.name === name)
}

function counted(client: Client, writes: Write[]): Client {
  const note = (verb: string, { plural }: { readonly plural: string }, subresource = ''): void =>
    void writes.push(`${verb} ${plural}${subresource === '' ? '' : `/${subresource}`}`)
  return {
    ...client,
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    create: (resource, object, options) => {
      note('create', resource)
      return client.create(resource, object, options)
    },
    patch: (resource, key, patch, options) => {
      note('patch', resource, options?.subresource)
      return client.patch(resource, key, patch, options)
    },
    delete: (resource, key, options) => {
      note('delete', resource)
      return client.delete(resource, key, options)
    },
  }
}

/** A CRD with a schema of the test's: the real ones belong to other projects. */
function definitionOf(component: CachedKind, spec: object = anything): CustomResourceDefinition {
  const { group, versions, kind, plural } = component
  return {
    metadata: { name: definitionName(component) },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { ...anything, properties: { spec } } },
        subresources: { status: {} },
      })),
    },
  }
}
