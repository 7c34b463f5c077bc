import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createNamespaceLifecycle } from '#apiserver/admission/namespaces/namespace-lifecycle.ts'
import { createVerbs } from '#apiserver/endpoints/verbs.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { openObjectStore } from '#apiserver/storage/open-object-store.ts'
import * as cdiResources from '#api/cdi/v1beta1/resources.ts'
import * as cdiSchemas from '#api/cdi/v1beta1/schema.generated.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { VirtualMachineClone } from '#api/clone/v1beta1/schema.generated.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import * as instancetypeResources from '#api/instancetype/v1beta1/resources.ts'
import * as instancetypeSchemas from '#api/instancetype/v1beta1/schema.generated.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { KubeVirt, VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceMigration } from '#api/kubevirt/v1/schema.generated.ts'
import { migrationPolicies } from '#api/migrations/v1alpha1/resources.ts'
import { MigrationPolicy } from '#api/migrations/v1alpha1/schema.generated.ts'
import * as snapshotResources from '#api/snapshot/v1beta1/resources.ts'
import * as snapshotSchemas from '#api/snapshot/v1beta1/schema.generated.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import { VirtualMachineExport } from '#api/export/v1/schema.generated.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import { HardwareRecord } from '#api/steadyvm/v1alpha1/schema.generated.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { Client } from '#client/client.ts'
import { found as orUndefined } from '#client/found.ts'
import { createClusterControllers, createRegistryCatalog } from '#cluster/controllers/index.ts'
import { createKubelet } from '#cluster/kubelet/index.ts'
import { isRunning } from '#qemu/index.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { withoutUpdateEntries } from '#runtime/cache/managed-fields.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log, type Logger } from '#runtime/process/log.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { makeGuestImage } from './guest-image.fixture.ts'
import { createNodeAgent, type Host } from './node-agent/index.ts'
import { createVirtControllerRunnables, type VirtControllerOptions } from './virt-controller/index.ts'

/** A write of a component: `patch virtualmachineinstances/status`. */
export type Write = `${'create' | 'update' | 'patch' | 'delete'} ${string}`

/**
 * Everything from a VM to its QEMU in one process: API server, workload controllers, kubelet, our
 * controllers and node agent.
 */
export interface TestCluster extends AsyncDisposable {
  readonly client: Client
  readonly directory: string
  readonly podsDirectory: string
  /** Writes of all components, in order. */
  readonly writes: readonly { readonly verb: string; readonly resource: string; readonly name: string; readonly component: string }[]
  /**
   * Starts a component; the returned function stops it. `mayFail` accepts errors that it may end
   * with.
   */
  start(
    part: 'virt-controller' | 'kubelet' | 'node-agent',
    through?: (client: Client) => Client,
    mayFail?: (error: unknown) => boolean,
  ): () => Promise<void>
}

/** Options of {@link startTestCluster}. */
export interface TestClusterOptions {
  readonly host?: Host
  readonly log?: Logger
  /** True for launchers that the kubelet runs in containers. Default: false. */
  readonly inContainer?: boolean
  /** Option of the node agent. */
  readonly hardwareQuietMs?: number
  /** Root of the image `guest`. Default: a guest that obeys the power button. */
  readonly guestImage?: string
  /** Parts of the controllers of DataVolumes. */
  readonly imports?: VirtControllerOptions['imports']
  /** Kinds that the API server has beside its own. */
  readonly kinds?: readonly ResourceDefinition[]
  /** Random numbers in [0, 1) for generated names. Default: a fixed sequence. */
  readonly random?: () => number
}

const launcherImage = 'steadyvm.io/virt-launcher:test'
/** Image of the program that stands for the export server: it does nothing. */
const exportServerImage = 'steadyvm.io/virt-exportserver:test'
const launcherScript = fileURLToPath(new URL('launcher/virt-launcher.sh', import.meta.url))

function kind<T>(resource: ResourceType<T>, schema: StructuralSchema, hasStatus: boolean): ResourceDefinition {
  return defineResource({ ...resource, schema, hasStatus, hasGeneration: true, custom: true, unconditionalUpdate: false })
}

const definitions: readonly ResourceDefinition[] = [
  kind(virtualMachines, VirtualMachine, true),
  kind(virtualMachineInstances, VirtualMachineInstance, false),
  kind(virtualMachineInstanceMigrations, VirtualMachineInstanceMigration, true),
  kind(migrationPolicies, MigrationPolicy, true),
  kind(kubeVirts, KubeVirt, true),
  kind(instancetypeResources.virtualMachineInstancetypes, instancetypeSchemas.VirtualMachineInstancetype, false),
  kind(instancetypeResources.virtualMachineClusterInstancetypes, instancetypeSchemas.VirtualMachineClusterInstancetype, false),
  kind(instancetypeResources.virtualMachinePreferences, instancetypeSchemas.VirtualMachinePreference, false),
  kind(instancetypeResources.virtualMachineClusterPreferences, instancetypeSchemas.VirtualMachineClusterPreference, false),
  kind(snapshotResources.virtualMachineSnapshots, snapshotSchemas.VirtualMachineSnapshot, true),
  kind(snapshotResources.virtualMachineSnapshotContents, snapshotSchemas.VirtualMachineSnapshotContent, true),
  kind(snapshotResources.virtualMachineRestores, snapshotSchemas.VirtualMachineRestore, true),
  kind(virtualMachineClones, VirtualMachineClone, true),
  kind(virtualMachineExports, VirtualMachineExport, true),
  kind(hardwareRecords, HardwareRecord, false),
  kind(cdiResources.dataVolumes, cdiSchemas.DataVolume, true),
  kind(cdiResources.dataSources, cdiSchemas.DataSource, true),
  kind(cdiResources.dataImportCrons, cdiSchemas.DataImportCron, true),
  kind(cdiResources.storageProfiles, cdiSchemas.StorageProfile, true),
  kind(cdiResources.cdiConfigs, cdiSchemas.CDIConfig, true),
  kind(cdiResources.cdis, cdiSchemas.CDI, true),
  kind(cdiResources.volumeImportSources, cdiSchemas.VolumeImportSource, true),
  kind(cdiResources.volumeUploadSources, cdiSchemas.VolumeUploadSource, true),
  kind(cdiResources.volumeCloneSources, cdiSchemas.VolumeCloneSource, false),
]

/** Starts the API server and the workload controllers. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'vm-'))
  const imageDirectory = options.guestImage ?? makeGuestImage(directory)
  const now = (): number => clock.now()
  const store = openObjectStore({ path: join(directory, 'state.db'), now, synchronous: 'NORMAL' })
  const registry = createResourceRegistry([...builtinDefinitions(), ...definitions, ...(options.kinds ?? [])])
  const admission = [createNamespaceLifecycle(store)]
  const verbs = createVerbs({ store, registry, admission, now, randomUuid: randomUUID, random: options.random ?? (() => 0.5) })
  const clientOf = (username: string): Client => createInProcessClient({ verbs, registry, user: { username, groups: ['system:masters'] } })
  const client = clientOf('test')
  for (const name of ['default', 'kube-system', 'kube-node-lease', 'kubevirt']) await client.create(namespaces, { metadata: { name } })
  const writes: TestCluster['writes'][number][] = []
  const stops: (() => Promise<void>)[] = []
  const run = (runnables: readonly Runnable[], mayFail: (error: unknown) => boolean = () => false): (() => Promise<void>) => {
    const stop = new AbortController()
    const running = Promise.all(runnables.map(async (runnable) => runnable.run(stop.signal))).catch((error: unknown) => {
      if (!mayFail(error)) throw error
    })
    const end = async (): Promise<void> => {
      stop.abort()
      await running
    }
    stops.push(end)
    return end
  }
  const informers = createInformerSet({ client, clock, log, freeze: true, transform: withoutUpdateEntries })
  const recorder = createRecorder({ client, component: 'test', clock, log })
  run([
    informers,
    ...createClusterControllers({
      client: counting(clientOf('cluster'), 'cluster', writes),
      informers,
      clock,
      log,
      catalog: createRegistryCatalog(registry, clock),
      clusterCa: () => 'CA',
    }),
  ])
  const partLog = options.log ?? log
  const parts = {
    'virt-controller': (through: (client: Client) => Client, mayFail: (error: unknown) => boolean) => {
      const own = through(counting(clientOf('virt-controller'), 'virt-controller', writes))
      const { caches, controllers } = createVirtControllerRunnables({
        client: own,
        recorder,
        clock,
        log: partLog.child({ part: 'virt-controller' }),
        random: () => 0,
        launcherImage,
        importerImage: 'steadyvm.io/virt-importer:test',
        version: 'v0.0.0',
        ...(options.imports === undefined ? {} : { imports: options.imports }),
        exportServerImage,
        inContainer: options.inContainer === true,
        // Only tests with a KubeVirt object get a catalogue.
        catalogueQuietMs: 0,
      })
      return run([caches, ...controllers], mayFail)
    },
    kubelet: (through: (client: Client) => Client, mayFail: (error: unknown) => boolean) =>
      run(
        [
          createKubelet({
            client: through(counting(clientOf('kubelet'), 'kubelet', writes)),
            nodeName: 'n1',
            dataDirectory: join(directory, 'n1'),
            resolveImage: (reference) =>
              reference === 'missing'
                ? Promise.reject(new RangeError('no such image'))
                : Promise.resolve(
                    reference === launcherImage
                      ? { rootDirectory: '/', entrypoint: ['/bin/sh', launcherScript] }
                      : { rootDirectory: imageDirectory, entrypoint: [] },
                  ),
            clock,
            log: partLog.child({ part: 'kubelet' }),
            environment: { PATH: '/usr/bin:/bin' },
            version: 'v0.0.0',
            capacity: { memory: '64Gi', cpu: '16' },
          }),
        ],
        mayFail,
      ),
    'node-agent': (through: (client: Client) => Client, mayFail: (error: unknown) => boolean) => {
      if (options.host === undefined) throw new TypeError('a node agent needs a host')
      const own = through(counting(clientOf('virt-handler'), 'virt-handler', writes))
      return run(
        [
          createNodeAgent({
            client: own,
            nodeName: 'n1',
            podsDirectory: join(directory, 'n1/pods'),
            runDirectory: join(directory, 'run'),
            host: options.host,
            ...(options.hardwareQuietMs === undefined ? {} : { hardwareQuietMs: options.hardwareQuietMs }),
            recorder,
            clock,
            log: partLog.child({ part: 'virt-handler' }),
          }),
        ],
        mayFail,
      )
    },
  }
  mkdirSync(join(directory, 'run'))
  return {
    client,
    directory,
    podsDirectory: join(directory, 'n1/pods'),
    writes,
    start: (part, through = (client) => client, mayFail = () => false) => parts[part](through, mayFail),
    async [Symbol.asyncDispose]() {
      for (const stop of stops.toReversed()) await stop()
      await recorder.flush()
      killLaunchers(join(directory, 'n1/pods'))
      await store[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Kills launchers that a failed test has left running. */
function killLaunchers(podsDirectory: string): void {
  for (const uid of existsSync(podsDirectory) ? readdirSync(podsDirectory) : []) {
    const file = join(podsDirectory, uid, 'volumes/kubernetes.io~empty-dir/private/process')
    const [pid, startTicks] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : []
    if (pid !== undefined && isRunning({ pid, startTicks: startTicks ?? 0 })) process.kill(pid, 'SIGKILL')
  }
}

/** Records every write of a client, except events. */
function counting(client: Client, component: string, writes: TestCluster['writes'][number][]): Client {
  const note = (verb: string, resource: ResourceType<unknown>, name: string | undefined, subresource: string | undefined): void => {
    if (resource.kind === 'Event' || resource.kind === 'Lease') return
    const path = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`
    writes.push({ verb, resource: path, name: name ?? '', component })
  }
  return {
    ...client,
    async create(resource, object, write) {
      const created = await client.create<never, never>(resource as never, object as never, write)
      note('create', resource, object.metadata?.name, write?.subresource)
      return created
    },
    async update(resource, object, write) {
      const updated = await client.update(resource, object, write)
      note('update', resource, object.metadata?.name, write?.subresource)
      return updated
    },
    async patch(resource, key, patch, write) {
      const patched = await client.patch(resource, key, patch, write)
      note('patch', resource, key.name, write?.subresource)
      return patched
    },
    async delete(resource, key, options) {
      await client.delete(resource, key, options)
      note('delete', resource, key.name, undefined)
    },
  }
}

/** Returns the object, or undefined. */
export function found<T extends KubeObject>(client: Client, resource: ResourceType<T>, name: string): Promise<T | undefined> {
  const key: ObjectKey = { namespace: 'default', name }
  return orUndefined(client.get(resource, key))
}

/**
 * Polls until the function returns a value. A pause is four times as long as the question, which
 * must not take the processor from what it waits for.
 */
export async function until<T>(what: () => Promise<T | undefined | false> | T | undefined | false, limitMs = 60_000): Promise<T> {
  const end = clock.now() + limitMs
  for (;;) {
    const asked = clock.now()
    const answer = await what()
    if (answer !== undefined && answer !== false) return answer
    const now = clock.now()
    if (now > end) throw new RangeError('it did not come true in time')
    await clock.sleep(Math.min(200, Math.max(10, 4 * (now - asked))))
  }
}
